import type { HistoryEntry, WorseSince } from "./history.ts";

type Judged = Pick<HistoryEntry, "evaluation_call_id" | "against_best">;

/** Since when entries are worse than the best one, the `best`-th: the plain reading of their verdicts. */
export function worseSince(entries: readonly Judged[], best: number): WorseSince | null {
  const isWorse = (i: number) => i > best && entries[i]?.against_best?.verdict === "regressed";
  let first = entries.length;
  while (isWorse(first - 1)) first--;
  const [since, before] = [entries[first], entries[first - 1]];
  if (since === undefined || before === undefined) return null;
  return { evaluation_call_id: since.evaluation_call_id, last_good: before.evaluation_call_id };
}
