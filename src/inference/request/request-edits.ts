import { invalidMember } from "../errors/api-error.ts";
import type { ChatRequest } from "./chat-request.ts";
import type { UpstreamConfig } from "../settings/config.ts";
import { applySplices, type Splice } from "./json-members.ts";

/** What may have to change on the way. */
interface Edits {
  readonly upstream: UpstreamConfig;
  readonly model: string;
  /** Replaces the caller's cache salt. */
  readonly salt?: (salt: string) => string;
}

/**
 * The bytes that go upstream: those that came, unless the upstream wants a member under another name, the
 * request leaves the model to the service, or cache salts are bound to tenants. Then only that stretch of the
 * text changes.
 */
export function bytesForUpstream(request: ChatRequest, { upstream, model, salt }: Edits): Uint8Array {
  const splices = [
    ...renames(request, upstream.rename),
    ...modelSplice(request, model),
    ...saltSplice(request, salt),
  ];
  return splices.length === 0 ? request.bytes : Buffer.from(applySplices(request.text, splices), "utf8");
}

function renames(request: ChatRequest, rename: UpstreamConfig["rename"]): Splice[] {
  return Object.entries(rename).flatMap(([from, to]) => {
    const member = request.members.get(from);
    if (member === undefined) return [];
    if (request.members.has(to)) throw invalidMember(from, `'${from}' and '${to}' cannot both be sent.`);
    return [keySplice(request.text, member.start, to)];
  });
}

/** The key ends before the colon that precedes the value. */
function keySplice(text: string, valueStart: number, key: string): Splice {
  const colon = text.lastIndexOf(":", valueStart - 1);
  const end = text.lastIndexOf('"', colon) + 1;
  let start = end - 1;
  do start = text.lastIndexOf('"', start - 1);
  while (isEscaped(text, start));
  return { start, end, text: JSON.stringify(key) };
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text[at - 1 - slashes] === "\\") slashes++;
  return slashes % 2 === 1;
}

/** What is no text, or an empty one, is the model server's to refuse. */
function saltSplice(request: ChatRequest, bind: Edits["salt"]): Splice[] {
  const member = request.members.get("cache_salt");
  if (bind === undefined || member === undefined) return [];
  const value: unknown = JSON.parse(request.text.slice(member.start, member.end));
  if (typeof value !== "string" || value === "") return [];
  return [{ start: member.start, end: member.end, text: JSON.stringify(bind(value)) }];
}

function modelSplice(request: ChatRequest, model: string): Splice[] {
  if (request.model !== null) return [];
  const member = request.members.get("model");
  if (member !== undefined) return [{ start: member.start, end: member.end, text: JSON.stringify(model) }];
  const open = request.text.indexOf("{") + 1;
  const comma = request.members.size === 0 ? "" : ",";
  return [{ start: open, end: open, text: `"model":${JSON.stringify(model)}${comma}` }];
}
