import type { RequestError } from "../errors.ts";
import { malformed } from "./meaningless.ts";

const MAX_DEPTH = 200;
const MAX_VALUES = 20_000;
/** DuckDB plans a statement of 1,000 fields of rows for half a minute on two cores, with 2.5 GB. */
const MAX_FIELDS = 100;

/** Refuses inputs that are too deep for recursion, or that would keep the process busy for seconds. */
export function checkSize(input: unknown): void {
  let values = 0;
  const fields = new Set<unknown>();
  let level: unknown[] = [input];
  for (let depth = 0; level.length > 0; depth++) {
    values += level.length;
    if (depth > MAX_DEPTH) throw tooLarge(input, `nested more than ${MAX_DEPTH} levels deep`);
    if (values > MAX_VALUES) throw tooLarge(input, `more than ${MAX_VALUES} values`);
    if (level.some((one) => one instanceof Promise))
      throw malformed([], "holds a promise; await it", "invalid_type");
    for (const one of level) if (isRecord(one)) fields.add(one["$getField"] ?? one["field"]);
    // Most have none.
    if (fields.size > MAX_FIELDS + 1) throw tooLarge(input, `more than ${MAX_FIELDS} different fields`);
    level = level.flatMap((value) => (isRecord(value) ? Object.values(value) : []));
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/** The error at the largest member of the request, or at the request itself where it has no members. */
function tooLarge(input: unknown, msg: string): RequestError {
  const sizes = Object.entries(typeof input === "object" && input !== null ? input : {}).map(
    ([name, value]) => ({ name, size: sizeOf(value) }),
  );
  const largest = sizes.toSorted((a, b) => b.size - a.size)[0];
  return malformed(largest === undefined ? [] : [largest.name], msg, "too_large");
}

function sizeOf(input: unknown): number {
  let size = 0;
  for (let level: unknown[] = [input]; level.length > 0 && size <= MAX_VALUES;) {
    size += level.length;
    level = level.flatMap((value) => (isRecord(value) ? Object.values(value) : []));
  }
  return size;
}
