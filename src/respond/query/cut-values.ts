import { headOf, MOST_INLINE_BYTES, stubsIn, type PlacedStub } from "../../model/text-stubs.ts";
import type { EvalRequest } from "../../request/eval-request.ts";

/** Bytes of JSON beyond which a value is cut to its start. */
export const START_BYTES = 65_536;

/** How the values of an answer are cut, and what is known of those that are long. */
export interface ValueCut {
  readonly longValues: EvalRequest["longValues"];
  /** What the stubs of long texts begin with; null where there are none. */
  readonly mark: string | null;
  /** How the texts begin whose stubs {@link startsWanted} names, by key. */
  readonly starts: ReadonlyMap<number, string>;
}

/** A value that may be cut; `bytes` is the size of the whole, null where nothing is cut. */
interface ShownValue {
  readonly json: string;
  readonly bytes: number | null;
}

/** The stubs in stored values of whose texts more than the head is wanted, and not all. */
export function startsWanted(
  { longValues, mark }: Pick<ValueCut, "longValues" | "mark">,
  values: readonly (string | null)[],
): PlacedStub[] {
  if (longValues !== "start" || mark === null) return [];
  const stubs = values.flatMap((value) => (value === null ? [] : stubsIn(mark, value)));
  return stubs.filter(({ bytes }) => bytes > START_BYTES);
}

/** A value as JSON, cut where it is too long for the answer. */
export function shownValue(json: string, { longValues, mark, starts }: ValueCut): ShownValue {
  if (longValues === "whole") return { json, bytes: null };
  const [stub] = stubsIn(mark, json);
  const bytes = stub === undefined ? Buffer.byteLength(json) : stub.bytes;
  if (bytes <= (longValues === "head" ? MOST_INLINE_BYTES : START_BYTES)) return { json, bytes: null };
  const known = stub === undefined ? json : longValues === "head" ? stub.head : starts.get(stub.key);
  const start = longValues === "head" ? headOf(known ?? "") : startOfBytes(known ?? "");
  return { json: closedJson(start), bytes };
}

function startOfBytes(text: string): string {
  // What is left of a character at the end is not decoded.
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return decoder.decode(Buffer.from(text).subarray(0, START_BYTES), { stream: true });
}

const TOKEN = /"[^"\\]*(?:\\(?:u[\da-fA-F]{4}|[^u])[^"\\]*)*("?)|[{}[\],:]|[^\s{}[\],:"]+/g;

/** The start of JSON as JSON: the last text ends where the start does, and what is open is closed. */
export function closedJson(start: string): string {
  const open: string[] = [];
  // Up to here everything is whole.
  let end = 0;
  let isKey = false;
  for (const { 0: token, 1: quote, index } of start.matchAll(TOKEN)) {
    const after = index + token.length;
    const [first] = token;
    if (first === ",") isKey = open.at(-1) === "}";
    else if (first === ":") isKey = false;
    else if (first === "{" || first === "[") {
      open.push(first === "{" ? "}" : "]");
      isKey = first === "{";
      end = after;
    } else if (first === "}" || first === "]") {
      open.pop();
      end = after;
    } else if (first === '"') {
      if (isKey) continue;
      if (quote === "") return `${start.slice(0, after)}"${closers(open)}`;
      end = after;
    } else if (after < start.length) end = after;
  }
  return end === 0 ? JSON.stringify(start) : start.slice(0, end) + closers(open);
}

function closers(open: readonly string[]): string {
  return open.toReversed().join("");
}
