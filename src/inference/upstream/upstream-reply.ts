import { pipeline, type Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { ApiError, errorEnvelope, upstreamBroken, upstreamTimeout } from "../errors/api-error.ts";
import { isJsonObject } from "../../model/json.ts";

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

/** An unsuccessful reply of the model server in the form that the caller receives. */
interface Refusal {
  readonly status: number;
  readonly body: Uint8Array | string;
}

/**
 * Keeps the status, and the body too when it is already an error object; any other body (a string, FastAPI's
 * `detail`, HTML) is wrapped in one. A 401 or 403 concerns the service's own upstream key and is thrown as a 502.
 */
export function translateRefusal(status: number, body: Uint8Array): Refusal {
  if (status === 401 || status === 403) {
    throw new ApiError("The model server refuses the credentials of this service.", {
      status: 502,
      type: "api_error",
      code: "upstream_auth",
      shouldRetry: false,
    });
  }
  if (status < 400) throw upstreamBroken();
  const parsed = parse(body);
  if (
    isJsonObject(parsed) &&
    isJsonObject(parsed["error"]) &&
    typeof parsed["error"]["message"] === "string"
  ) {
    return { status, body };
  }
  const message = messageOf(parsed) ?? `Upstream error (${status})`;
  return { status, body: JSON.stringify(errorEnvelope(message, classify(status))) };
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body)) as unknown;
  } catch {
    return undefined;
  }
}

/** The message of `{"error":"text"}`, `{"message":"text"}`, `{"detail":"text"}` or `{"detail":[{loc,msg}]}`. */
function messageOf(body: unknown): string | undefined {
  if (!isJsonObject(body)) return undefined;
  for (const key of ["error", "message", "detail"]) {
    const value = body[key];
    if (typeof value === "string" && value !== "") return value;
  }
  if (!Array.isArray(body["detail"])) return undefined;
  const parts = body["detail"].flatMap((entry: unknown) =>
    isJsonObject(entry) && typeof entry["msg"] === "string" ? [describe(entry["loc"], entry["msg"])] : [],
  );
  return parts.length === 0 ? undefined : parts.join("; ");
}

function describe(loc: unknown, message: string): string {
  return Array.isArray(loc) && loc.length > 0 ? `${loc.join(".")}: ${message}` : message;
}

function classify(status: number): { type: string; code: string | null } {
  if (status === 402) return { type: "insufficient_quota", code: "insufficient_quota" };
  if (status === 404) return { type: "not_found_error", code: "not_found" };
  if (status === 429) return { type: "rate_limit_error", code: "rate_limit_exceeded" };
  if (status >= 500) return { type: "api_error", code: "upstream_error" };
  return { type: "invalid_request_error", code: null };
}
