import type { Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { pipeline } from "node:stream";
import { upstreamBroken, upstreamTimeout } from "../errors/api-error.ts";

/** A longer reply is refused, since it is held in memory until its end. */
const MAX_REPLY_BYTES = 256 * 1024 * 1024;

/** Decompresses a body that an intermediary has compressed unasked. */
export function plainBody(body: Readable, encoding: string | string[] | undefined): Readable {
  const decoder = decoderFor(String(encoding ?? "identity").toLowerCase());
  if (decoder === undefined) return body;
  return pipeline(body, decoder, () => {});
}

function decoderFor(encoding: string) {
  if (encoding === "gzip" || encoding === "x-gzip") return createGunzip();
  if (encoding === "br") return createBrotliDecompress();
  if (encoding === "deflate") return createInflate();
  return undefined;
}

/**
 * Reads the whole body. `idleMs` bounds the silence between chunks. A truncated body is an error, never a short
 * reply.
 */
export async function readWhole(
  body: Readable,
  idleMs: number,
  maxBytes = MAX_REPLY_BYTES,
): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  let timedOut = false;
  const timer = setTimeout(
    () => {
      timedOut = true;
      body.destroy(new Error("idle"));
    },
    idleMs || 2 ** 31 - 1,
  );
  try {
    for await (const chunk of body) {
      timer.refresh();
      size += (chunk as Buffer).length;
      if (size > maxBytes) throw new Error("The reply is too large.");
      chunks.push(chunk as Buffer);
    }
  } catch (cause) {
    throw timedOut ? upstreamTimeout(cause) : upstreamBroken(cause);
  } finally {
    clearTimeout(timer);
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}
