import { Option } from "commander";
import { isClosedPipe } from "./terminal.ts";
import type { Screen, Terminal } from "./terminal.ts";

/** The name of standard output on the command line. */
const STDOUT = "-";

export function outOption(): Option {
  return new Option("--out <file>", "where to write it, - for standard output");
}

export function exportTarget(
  out: string,
  { stdout }: Terminal,
): { readonly path: string } | { readonly stream: Screen } {
  return out === STDOUT ? { stream: stdout } : { path: out };
}

/** Writing ends where the reader of a pipe has gone (`| head`); that is no error. */
export async function untilClosed(write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!(error instanceof Error && isClosedPipe(error))) throw error;
  }
}
