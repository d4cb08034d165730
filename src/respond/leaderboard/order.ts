import type { RankingKey } from "../../request/leaderboard-request.ts";
import { compareText } from "../../model/text-order.ts";
import type { LeaderboardDimension, LeaderboardEntry } from "./leaderboard.ts";

/** A key of the order with the dimension that it reads: an index, null for what reads none. */
export interface PlacedKey {
  readonly key: RankingKey;
  readonly dimension: number | null;
}

/** Orders entries by the keys in turn, those without a value last, then by id. */
export function orderEntries(
  entries: readonly LeaderboardEntry[],
  dimensions: readonly LeaderboardDimension[],
  keys: readonly PlacedKey[],
): LeaderboardEntry[] {
  return entries.toSorted((a, b) => {
    for (const placed of keys) {
      const order = compareValues(
        valueOf(a, placed),
        valueOf(b, placed),
        descends(placed, dimensions) ? -1 : 1,
      );
      if (order !== 0) return order;
    }
    return compareText(a.evaluation_call_id, b.evaluation_call_id);
  });
}

/** Orders entries by the mean of one dimension, the best first. */
export function orderByMean(
  entries: readonly LeaderboardEntry[],
  dimensions: readonly LeaderboardDimension[],
  dimension: number,
): LeaderboardEntry[] {
  const key: RankingKey = { field: "mean", dimension: null, direction: null };
  return orderEntries(entries, dimensions, [{ key, dimension }]);
}

function descends({ key, dimension }: PlacedKey, dimensions: readonly LeaderboardDimension[]): boolean {
  if (key.direction !== null) return key.direction === "desc";
  const isScore = key.field === "mean" || key.field === "pass_rate";
  return isScore && dimension !== null && dimensions[dimension]?.lower_is_better !== true;
}

type Value = number | string | null;

function valueOf(entry: LeaderboardEntry, { key, dimension }: PlacedKey): Value {
  const score = dimension === null ? undefined : entry.scores[dimension];
  switch (key.field) {
    case "mean":
      return score?.row_mean ?? null;
    case "pass_rate":
      return score?.pass_rate ?? null;
    case "rows":
      return entry.row_count;
    case "trials":
      return entry.trial_count;
    case "errors":
      return entry.error_count;
    case "tokens":
      return entry.tokens.total;
    case "latency":
      return entry.latency.p50_seconds;
    case "cost":
      return entry.cost?.total ?? null;
    case "started_at":
      return entry.started_at;
    case "name":
      return entry.display_name ?? entry.evaluation_call_id;
    case "model":
      return entry.model;
  }
}

function compareValues(a: Value, b: Value, sign: 1 | -1): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (typeof a === "number" && typeof b === "number") return sign * (a - b);
  return sign * compareText(String(a), String(b));
}
