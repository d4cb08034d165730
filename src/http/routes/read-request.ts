import { decodeBody, parseBody, readBody } from "../wire/body.ts";
import { unknownPath } from "../errors/http-error.ts";
import type { RouteRequest } from "./route.ts";

/** Reads the text of a body of at most `limit` bytes. */
export async function readBodyText({ raw, trace }: RouteRequest, limit: number): Promise<string> {
  const body = await readBody(raw, limit);
  trace.bytesIn = body.length;
  return decodeBody(body);
}

/** Parses a JSON text that is nested at most `maxDepth` deep. */
export function parseRequestJson(text: string, maxDepth: number): unknown {
  return parseBody(text, (json) => JSON.parse(json) as unknown, maxDepth);
}

/** Returns a path segment, decoded once; throws 404 when it is empty or has a slash or a control character. */
export function segment({ params }: RouteRequest, name: string): string {
  const value = params.get(name) ?? "";
  if (!/^[^/\p{Cc}]+$/u.test(value)) throw unknownPath();
  return value;
}

/** The query parameters; a repeated parameter has its last value, and an empty `after` counts as absent. */
export function queryParameters({ raw, trace }: RouteRequest): Record<string, string> {
  trace.issuePart = "query";
  const query = Object.fromEntries(new URL(raw.url).searchParams);
  if (query["after"] === "") delete query["after"];
  return query;
}
