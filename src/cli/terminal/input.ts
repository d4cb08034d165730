import { readFile, stat } from "node:fs/promises";
import { addAbortSignal } from "node:stream";
import { requestFault, type InputPath } from "../../errors.ts";
import { jsonFault, fileFault } from "../../model/messages.ts";
import { FileError } from "./failure.ts";
import { print, type Terminal } from "./terminal.ts";

/** The name of standard input on the command line. */
export const STDIN = "-";

/** The bytes of standard input until its end or the interrupt. */
export function standardInput({ stdin, signal }: Terminal): AsyncIterable<Uint8Array> {
  return addAbortSignal(signal, stdin);
}

/** Asks somebody at a terminal; only `y` and `yes` agree. */
export async function confirmed(terminal: Terminal, question: string): Promise<boolean> {
  await print(terminal.stderr, `${question} [y/N] `);
  let line = "";
  for await (const bytes of standardInput(terminal)) {
    line += Buffer.from(bytes).toString("utf8");
    if (line.includes("\n")) break;
  }
  return /^\s*y(es)?\s*(\n|$)/i.test(line);
}

/**
 * Reads a request as JSON from a file or standard input; `{}` where neither is named. The engine checks its shape.
 */
export async function readRequest(
  path: string | undefined,
  terminal: Terminal,
  loc: InputPath = [],
): Promise<unknown> {
  if (path === undefined) return {};
  const bytes = path === STDIN ? await collect(standardInput(terminal)) : await bytesOf(path);
  const text = new TextDecoder("utf-8").decode(bytes);
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) as unknown;
  } catch (error) {
    const name = path === STDIN ? "standard input" : path;
    const msg = `${name} is not a JSON text${jsonFault(text, error)}`;
    throw requestFault("schema", loc, msg, "json_invalid");
  }
}

async function bytesOf(path: string): Promise<Uint8Array> {
  const found = await stat(path).catch((error: unknown) => Promise.reject(unreadable(path, error)));
  if (found.isDirectory()) throw new FileError(`cannot read ${path}: it is a folder`);
  return await readFile(path).catch((error: unknown) => Promise.reject(unreadable(path, error)));
}

async function collect(source: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function unreadable(path: string, error: unknown): FileError {
  const hint = path.includes(".") ? "" : "; a flag names an evaluation, and --help lists them";
  return new FileError(`cannot read ${path}: ${fileFault(error)}${hint}`, { cause: error });
}
