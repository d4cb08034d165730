import type { Writable } from "node:stream";
import { EvalcubeError } from "../../errors.ts";

/** A Node stream or a web stream. */
export type OutputStream = Writable | WritableStream<Uint8Array>;

interface Outlet {
  readonly write: (chunk: Uint8Array) => Promise<void>;
  /** Removes the lock or the listeners, so that the stream is as it was found. */
  readonly release: () => void;
}

/** Throws on a stream that accepts no data: one that is locked or closed. */
export function checkStream(stream: OutputStream): void {
  if ("getWriter" in stream) {
    if (stream.locked) throw unwritable("another writer holds it; release its lock first");
  } else if (stream.destroyed || stream.writableEnded) {
    throw unwritable("it is closed");
  }
}

/**
 * Writes as fast as the stream accepts data, and does not end the stream. Rejects immediately if the stream fails or is
 * closed before the end, or if the signal aborts, since a pending write may then never be answered.
 */
export async function writeStreamChunks(
  stream: OutputStream,
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const state: { failure: { readonly reason: unknown } | null; refuse: (reason: unknown) => void } = {
    failure: null,
    refuse: () => {},
  };
  const breakOff = (reason: unknown) => {
    state.failure ??= { reason };
    state.refuse(reason);
  };
  const outlet = "getWriter" in stream ? webOutlet(stream, breakOff) : nodeOutlet(stream, breakOff);
  const abort = () => breakOff(signal?.reason);
  signal?.addEventListener("abort", abort, { once: true });
  try {
    for await (const chunk of chunks) {
      signal?.throwIfAborted();
      await new Promise<void>((resolve, reject) => {
        state.refuse = reject;
        if (state.failure !== null) return reject(state.failure.reason);
        outlet.write(chunk).then(resolve, reject);
      });
    }
  } finally {
    signal?.removeEventListener("abort", abort);
    outlet.release();
  }
}

function webOutlet(stream: WritableStream<Uint8Array>, breakOff: (reason: unknown) => void): Outlet {
  const writer = stream.getWriter();
  writer.closed.then(() => breakOff(closedEarly()), breakOff);
  const write = (chunk: Uint8Array) => {
    const written = writer.write(chunk);
    // If a stream fails while it has a chunk, this promise reports it first.
    writer.ready.catch(breakOff);
    return written;
  };
  return { write, release: () => writer.releaseLock() };
}

function nodeOutlet(stream: Writable, breakOff: (reason: unknown) => void): Outlet {
  let failed = false;
  let heard = false;
  const onError = (error: Error) => {
    heard = true;
    breakOff(error);
  };
  const onClose = () => breakOff(stream.errored ?? closedEarly());
  stream.on("error", onError).on("close", onClose);
  const write = (chunk: Uint8Array) =>
    new Promise<void>((resolve, reject) => {
      if (stream.destroyed || stream.writableEnded) return reject(stream.errored ?? closedEarly());
      stream.write(chunk, (error) => {
        if (error == null) return resolve();
        failed = true;
        reject(error);
      });
    });
  const release = () => {
    stream.off("error", onError).off("close", onClose);
    // The error event follows the callback that reported the error; without a listener it would end the process.
    if (failed && !heard) stream.once("error", () => {});
  };
  return { write, release };
}

function closedEarly(): EvalcubeError {
  return unwritable("it was closed before all was written");
}

function unwritable(reason: string): EvalcubeError {
  return new EvalcubeError("unwritable_target", `cannot write to the stream: ${reason}`);
}
