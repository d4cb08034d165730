import { HttpError, unsupportedMedia } from "../errors/http-error.ts";
import { BodyTooLarge, encodingOf, readBody, type Chunks } from "./body.ts";

/** Reads a body that may be compressed with gzip; the limit counts the bytes of what was packed. */
export async function readPackedBody(request: Request, limit: number): Promise<Chunks> {
  return readBody(unpacked(request), limit).catch((cause: unknown) => {
    if (cause instanceof HttpError || request.signal.aborted) throw cause;
    throw new HttpError(400, "invalid_body", "The request body is not what its headers say.", {}, { cause });
  });
}

function unpacked(request: Request): Request {
  const encoding = encodingOf(request.headers, ["gzip", "identity"]);
  if (encoding !== "gzip" || request.body === null) return request;
  const headers = new Headers(request.headers);
  headers.delete("content-encoding");
  headers.delete("content-length");
  const body = request.body.pipeThrough(new DecompressionStream("gzip"));
  return new Request(request.url, { method: request.method, headers, body, duplex: "half" } as RequestInit);
}

/** Passes the chunks of a body on; throws 413 beyond the limit. */
export async function eachChunk(
  request: Request,
  limit: number,
  take: (chunk: Uint8Array) => void,
): Promise<void> {
  if (request.body === null) throw unsupportedMedia("The request has no body.");
  const reader = request.body.getReader();
  if (Number(request.headers.get("content-length") ?? 0) > limit) throw new BodyTooLarge(limit, reader);
  let size = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    size += next.value.length;
    if (size > limit) throw new BodyTooLarge(limit, reader);
    take(next.value);
  }
}
