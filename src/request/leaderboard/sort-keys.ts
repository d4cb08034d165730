import { parseFieldPath } from "../../model/field-path.ts";
import type { NamedPlace } from "../compare-request.ts";
import { meaningless } from "../meaningless.ts";

export const SORT_DIRECTIONS = ["asc", "desc"] as const;

/** What entries can be ordered by, besides the means of scores. */
const SORT_FIELDS = [
  "pass_rate",
  "rows",
  "trials",
  "errors",
  "tokens",
  "latency",
  "cost",
  "started_at",
  "name",
  "model",
] as const;

type SortField = (typeof SORT_FIELDS)[number];

/** One key of the order of entries. */
export interface RankingKey {
  readonly field: SortField | "mean";
  /** The dimension whose mean it is; null for other fields. */
  readonly dimension: NamedPlace | null;
  /** null: the best first for scores and pass rates, ascending for others. */
  readonly direction: (typeof SORT_DIRECTIONS)[number] | null;
}

interface WireKey {
  readonly field: string;
  readonly direction?: "asc" | "desc" | null | undefined;
}

/** Reads the keys of `sort_by`. Throws `RequestError` on a field that there is not. */
export function readSortKeys(keys: readonly WireKey[]): RankingKey[] {
  return keys.map(({ field: name, direction = null }, i) => {
    const loc = ["sort_by", i, "field"];
    const known = SORT_FIELDS.find((one) => one === name);
    if (known !== undefined) return { field: known, dimension: null, direction };
    const field = parseFieldPath(name);
    if ("error" in field || field.root !== "scores")
      throw meaningless(
        loc,
        `entries are not ordered by ${JSON.stringify(name)}; there are scores.<name>, ${SORT_FIELDS.join(", ")}`,
      );
    const dimension = { name: name.slice("scores.".length), path: field.segments, loc };
    return { field: "mean", dimension, direction };
  });
}
