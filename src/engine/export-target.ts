import { randomUUID } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import path from "node:path";
import type { Writable } from "node:stream";
import { EvalcubeError } from "../errors.ts";

/** Where a file goes: a path, or a stream of Node or of the web, which is not ended. */
export type ExportTarget =
  | { readonly path: string }
  | { readonly stream: Writable | WritableStream<Uint8Array> };

/**
 * Lets `make` write a file beside `target` under a passing name, and gives it its name when all of it is on disk.
 * A file of that name is replaced in one step; when `make` fails nothing is left behind.
 */
export async function replaceFile(target: string, make: (temporary: string) => Promise<void>): Promise<void> {
  const temporary = path.join(
    path.dirname(target),
    `.${path.basename(target).slice(0, 100)}.${randomUUID()}.tmp`,
  );
  try {
    await create(temporary, target);
    await make(temporary);
    await flush(temporary);
    await rename(temporary, target).catch((error: unknown) => Promise.reject(unwritable(target, error)));
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** Fails before any work is done where nothing can be written. */
async function create(temporary: string, target: string): Promise<void> {
  if (target === "" || target.includes("\0")) throw unwritable(target, new Error("this is no path"));
  const file = await open(temporary, "wx").catch((error: unknown) =>
    Promise.reject(unwritable(target, error)),
  );
  await file.close();
}

async function flush(temporary: string): Promise<void> {
  const file = await open(temporary, "r+");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

function unwritable(target: string, error: unknown): EvalcubeError {
  const reason = error instanceof Error ? error.message : String(error);
  return new EvalcubeError("unwritable_target", `cannot write ${JSON.stringify(target)}: ${reason}`, {
    cause: error,
  });
}

export async function writeFileChunks(file: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const handle = await open(file, "w");
  try {
    for await (const chunk of chunks) await handle.writeFile(chunk);
  } finally {
    await handle.close();
  }
}

/** Writes as fast as the stream takes it; a stream that fails or is closed before the end is an error. */
export async function writeStreamChunks(
  stream: Writable | WritableStream<Uint8Array>,
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const sink = "getWriter" in stream ? webSink(stream) : nodeSink(stream);
  try {
    for await (const chunk of chunks) await orAborted(sink.write(chunk), signal);
  } finally {
    sink.release();
  }
}

interface Sink {
  readonly write: (chunk: Uint8Array) => Promise<void>;
  readonly release: () => void;
}

function webSink(stream: WritableStream<Uint8Array>): Sink {
  const writer = stream.getWriter();
  return { write: (chunk) => writer.write(chunk), release: () => writer.releaseLock() };
}

function nodeSink(stream: Writable): Sink {
  let failure: Error | null = null;
  const fail = (error: Error) => void (failure ??= error);
  stream.on("error", fail);
  const write = (chunk: Uint8Array) =>
    new Promise<void>((resolve, reject) => {
      if (failure !== null) return reject(failure);
      stream.write(chunk, (error) => (error == null ? resolve() : reject(error)));
    });
  return { write, release: () => void stream.off("error", fail) };
}

/** A stream that takes nothing any more must not keep an export that is cancelled. */
async function orAborted(written: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return written;
  signal.throwIfAborted();
  const stop = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), {
      once: true,
      signal: stop.signal,
    });
  });
  try {
    await Promise.race([written, aborted]);
  } finally {
    stop.abort();
    written.catch(() => undefined);
  }
}
