import type { Upstream } from "./upstream.ts";

/** The only headers of the caller that are forwarded; engines obey others (`X-Request-Id`, `X-Vllm-Priority`). */
const FORWARDED = ["accept", "user-agent", "traceparent", "tracestate"] as const;

/** Reads a header of the caller by its lower-case name. */
export interface HeaderSource {
  get(name: string): string | null;
}

/**
 * The headers of an upstream call: the allowed headers of the caller, the upstream's own key and no compression.
 */
export function upstreamHeaders(
  upstream: Upstream,
  caller: HeaderSource,
  project: string | null,
): Record<string, string> {
  const headers: Record<string, string> = { "accept-encoding": "identity" };
  for (const name of FORWARDED) {
    const value = caller.get(name);
    if (value !== null) headers[name] = value;
  }
  if (upstream.apiKey !== undefined) headers["authorization"] = `Bearer ${upstream.apiKey}`;
  // A header is a string of bytes, so the UTF-8 bytes are passed as Latin-1 characters.
  if (upstream.config.forward_project && project !== null)
    headers["openai-project"] = Buffer.from(project, "utf8").toString("latin1");
  return headers;
}

/** The only headers of the upstream that are returned. */
const RETURNED = ["retry-after", "retry-after-ms", "x-should-retry"] as const;

/** The headers of the upstream's reply that are returned to the caller. */
export function returnedHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of RETURNED) {
    const value = headers[name];
    if (typeof value === "string") kept[name] = value;
  }
  return kept;
}

const SHOWN = "[key]";

/**
 * A body of a model server without the key that the service sent to it, also where JSON spells that another way; else
 * as it is.
 */
export function withoutKey(body: Uint8Array, key: string | undefined): Buffer {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (key === undefined) return bytes;
  if (bytes.includes(key)) return Buffer.from(bytes.toString("utf8").replaceAll(key, SHOWN));
  const text = unescaped(bytes.toString("utf8"));
  return text.includes(key) ? Buffer.from(text.replaceAll(key, SHOWN)) : bytes;
}

/** The text with every printable character of ASCII as itself, but for those that JSON has to escape. */
function unescaped(text: string): string {
  return text
    .replaceAll(/\\u00([2-7][0-9a-f])/gi, (escape, digits: string) => {
      const character = String.fromCodePoint(Number.parseInt(digits, 16));
      return character === '"' || character === "\\" ? escape : character;
    })
    .replaceAll("\\/", "/");
}
