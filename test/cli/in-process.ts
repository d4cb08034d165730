import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { run } from "../../src/cli/program.ts";
import type { Ended } from "./command.ts";

/** Runs a command line in this process: as a process of its own, without its start-up time. */
export async function evalcubeHere(
  args: readonly string[],
  input: string | Buffer = "",
  screen: { readonly isTTY?: boolean; readonly columns?: number } = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<Ended> {
  const stdout = Object.assign(new PassThrough(), screen);
  const stderr = Object.assign(new PassThrough(), screen);
  const written = Promise.all([text(stdout), text(stderr)]);
  const stdin = Readable.from(input.length === 0 ? [] : [Buffer.from(input)], { objectMode: false });
  const status = await run(args, { stdin, stdout, stderr, signal });
  stdout.end();
  stderr.end();
  const [out, err] = await written;
  return { status, stdout: out, stderr: err };
}
