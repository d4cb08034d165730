/** An answer whose body is either bytes of known length or a stream. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | ReadableStream<Uint8Array>;
}

/** Makes an answer from JSON text that is already written. */
export function jsonAnswer(body: string, headers: Record<string, string> = {}, status = 200): Answer {
  return bytesAnswer(Buffer.from(body, "utf8"), { "content-type": "application/json", ...headers }, status);
}

/** Makes an answer of known length. */
export function bytesAnswer(
  body: Uint8Array,
  headers: Readonly<Record<string, string>>,
  status: number,
): Answer {
  return { status, headers: { ...headers, "content-length": String(body.length) }, body };
}

/** Converts an answer for servers that use `Response`; an answer of known length to `HEAD` has no body. */
export function toResponse({ status, headers, body }: Answer, method: string): Response {
  if (body instanceof ReadableStream) return new Response(body, { status, headers });
  return new Response(method === "HEAD" ? null : (body as Uint8Array<ArrayBuffer>), { status, headers });
}
