import { decodeText } from "../../model/long-texts.ts";
import { jsonFault } from "../../model/messages.ts";
import { boundFault, type JsonBounds } from "../../model/json-bounds.ts";
import { requestFault } from "../../errors.ts";
import { HttpError, invalidJson, unsupportedMedia } from "../errors/http-error.ts";

type BodyReader = ReadableStreamDefaultReader<Uint8Array>;

/** The adapter of Node copies a body twice; a longer one is collected from its chunks. */
const COPIED_BYTES = 4 * 1024 * 1024;

/** 413. The rest of the upload must be drained, or the client may never see the answer. */
export class BodyTooLarge extends HttpError {
  readonly rest: BodyReader | undefined;

  constructor(limit: number, rest: BodyReader | undefined) {
    const reason = `The request body is larger than ${limit} bytes.`;
    super(413, "request_too_large", reason, { headers: { connection: "close" } });
    this.rest = rest;
  }
}

/** The bytes of a body as they came. */
export type Chunks = readonly Uint8Array[];

const JSON_TYPE = "application/json";
const LINES_TYPE = "application/x-ndjson";

/** Reads a body of at most `limit` bytes; throws 413 or 415 without reading more than necessary. */
export async function readBody(
  request: Request,
  limit: number,
  types: readonly string[] = [JSON_TYPE],
): Promise<Chunks> {
  checkMediaType(request.headers, types);
  const announced = request.headers.get("content-length");
  if (announced === null) return readCounted(request, limit);
  if (Number(announced) > limit) throw new BodyTooLarge(limit, uploadUnderWay(request));
  if (Number(announced) > COPIED_BYTES) return readCounted(request, limit);
  const bytes = new Uint8Array(await request.arrayBuffer());
  if (bytes.length > limit) throw new BodyTooLarge(limit, undefined);
  return [bytes];
}

/**
 * The upload that must be drained; undefined where the client still waits for `100 Continue` and has sent nothing.
 */
function uploadUnderWay(request: Request): BodyReader | undefined {
  return request.headers.has("expect") ? undefined : request.body?.getReader();
}

function checkMediaType(
  headers: Headers,
  types: readonly string[],
  encodings: readonly string[] = ["identity"],
): void {
  const type = headers.get("content-type") ?? "";
  const [plain = ""] = type.split(";", 1);
  if (!types.includes(plain.trim().toLowerCase()))
    throw unsupportedMedia(`The body must be ${types.join(" or ")}, not ${named(type)}.`);
  encodingOf(headers, encodings);
}

/** The chunks of a body of lines, which may be packed; throws 415 for any other. What was not taken is drained. */
export function lineChunks({ headers, body, signal }: Request): AsyncGenerator<Uint8Array, void, undefined> {
  checkMediaType(headers, [LINES_TYPE], ["gzip", "zstd", "identity"]);
  return chunksOf(body?.getReader(), signal);
}

async function* chunksOf(
  reader: BodyReader | undefined,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  let isEnded = false;
  const leave = () => void reader?.cancel(signal.reason).catch(() => undefined);
  signal.addEventListener("abort", leave, { once: true });
  try {
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) yield next.value;
    // An upload that is broken off may look as if it had ended.
    signal.throwIfAborted();
    isEnded = true;
  } finally {
    signal.removeEventListener("abort", leave);
    if (!isEnded && reader !== undefined) void drain(reader);
  }
}

/** How a body is compressed; throws 415 where that is not allowed. */
export function encodingOf(headers: Headers, allowed: readonly string[]): string {
  const given = headers.get("content-encoding") ?? "";
  const encoding = given === "" ? "identity" : given.toLowerCase();
  if (allowed.includes(encoding)) return encoding;
  throw unsupportedMedia(`Content-Encoding must be ${allowed.join(" or ")}, not ${named(given)}.`);
}

function named(type: string): string {
  return type === "" ? "without a Content-Type" : type.slice(0, 100);
}

async function readCounted(request: Request, limit: number): Promise<Chunks> {
  const reader = request.body?.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) {
    size += next.value.length;
    if (size > limit) throw new BodyTooLarge(limit, reader);
    chunks.push(next.value);
  }
  return chunks;
}

/** Decodes a body; throws 400 when it is not UTF-8. */
export async function decodeBody(chunks: Chunks): Promise<string> {
  try {
    return await decodeText(chunks);
  } catch (cause) {
    throw invalidJson("The request body is not valid UTF-8.", cause);
  }
}

/**
 * Parses a body with `parse`; throws 400 when the text is not JSON or is nested too deep, 422 when it has too many
 * values.
 */
export function parseBody<T>(text: string, parse: (text: string) => T, bounds: JsonBounds): T {
  const fault = boundFault(text, bounds);
  if (fault?.bound === "depth")
    throw invalidJson(`The request body is nested more than ${bounds.depth} levels deep.`);
  if (fault !== null) throw requestFault("schema", [], fault.msg, "too_large");
  try {
    return parse(text);
  } catch (cause) {
    throw invalidJson(`The request body is not valid JSON${jsonFault(text, cause)}.`, cause);
  }
}

const DRAIN_MS = 1_000;
const DRAIN_BYTES = 64 * 1024 * 1024;

/** Sends `text` immediately and ends the body only when the upload has ended or has used up its time or bytes. */
export function lingeringBody(text: string, rest: BodyReader): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text));
    },
    async pull(controller) {
      await drain(rest);
      controller.close();
    },
  });
}

/** Reads the rest of an upload for a while, so that the client can end it and see the answer. */
export async function drain(rest: BodyReader): Promise<void> {
  let size = 0;
  const timer = setTimeout(() => void rest.cancel().catch(() => {}), DRAIN_MS);
  try {
    for (let next = await rest.read(); !next.done && size < DRAIN_BYTES; next = await rest.read()) {
      size += next.value.length;
    }
  } catch {
    // The client has gone, so nothing is left to drain.
  } finally {
    clearTimeout(timer);
  }
}

/** Reads a body that may be compressed with gzip; the limit counts the bytes of what was packed. */
export async function readPackedBody(
  request: Request,
  limit: number,
  types?: readonly string[],
): Promise<Chunks> {
  return readBody(unpacked(request), limit, types).catch((cause: unknown) => {
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
