import { invalidMember } from "../errors/api-error.ts";
import type { ModelRequest } from "./model-request.ts";
import type { UpstreamConfig } from "../settings/config.ts";

/** The settings that decide which parts of a request change. */
interface Edits {
  readonly upstream: UpstreamConfig;
  readonly model: string;
  /** Returns the replacement of the caller's cache salt. */
  readonly salt?: (salt: string) => string;
}

/**
 * The bytes to send upstream: those received, unless the upstream wants a member under another name, the request
 * leaves the model to the service, or cache salts are bound to tenants. Then only the affected ranges of the text
 * change.
 */
export function bytesForUpstream(request: ModelRequest, { upstream, model, salt }: Edits): Uint8Array {
  const splices = [
    ...renames(request, upstream.rename),
    ...modelSplice(request, model),
    ...saltSplice(request, salt),
  ];
  return splices.length === 0 ? request.bytes : Buffer.from(applySplices(request.text, splices), "utf8");
}

function renames(request: ModelRequest, rename: UpstreamConfig["rename"]): Splice[] {
  return Object.entries(rename).flatMap(([from, to]) => {
    const member = request.members.get(from);
    if (member === undefined) return [];
    if (request.members.has(to)) throw invalidMember(from, `'${from}' and '${to}' cannot both be sent.`);
    return [{ start: member.nameStart, end: member.nameEnd, text: JSON.stringify(to) }];
  });
}

/** Replaces the cache salt; one that is not a string or is empty is left for the model server to refuse. */
function saltSplice(request: ModelRequest, bind: Edits["salt"]): Splice[] {
  const member = request.members.get("cache_salt");
  if (bind === undefined || member === undefined) return [];
  const value: unknown = JSON.parse(request.text.slice(member.start, member.end));
  if (typeof value !== "string" || value === "") return [];
  return [{ start: member.start, end: member.end, text: JSON.stringify(bind(value)) }];
}

function modelSplice(request: ModelRequest, model: string): Splice[] {
  if (request.model !== null) return [];
  const member = request.members.get("model");
  if (member !== undefined) return [{ start: member.start, end: member.end, text: JSON.stringify(model) }];
  const open = request.text.indexOf("{") + 1;
  const comma = request.members.size === 0 ? "" : ",";
  return [{ start: open, end: open, text: `"model":${JSON.stringify(model)}${comma}` }];
}

/** A replacement of a range of text; `start === end` inserts. */
interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Replaces ranges of `text`, which must not overlap; the rest is unchanged. */
export function applySplices(text: string, splices: readonly Splice[]): string {
  let result = "";
  let at = 0;
  for (const splice of splices.toSorted((a, b) => a.start - b.start)) {
    result += text.slice(at, splice.start) + splice.text;
    at = splice.end;
  }
  return result + text.slice(at);
}
