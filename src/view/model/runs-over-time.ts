import type { HistoryAnswer } from "../../respond/history/history.ts";
import { historyCells, historyScore } from "../words/history.ts";
import { standingOf, toneOf } from "../words/standings.ts";

/** One run of a history, whose label says its figures. */
interface HistoryPoint {
  readonly value: number;
  readonly interval: readonly [number, number] | null;
  readonly tone: "baseline" | "good" | "bad" | "neutral";
  readonly label: string;
}

/** The runs of a history as points of a picture, in their order; those without a value are left out. */
export function pointsOf(history: HistoryAnswer, naming: Parameters<typeof historyCells>[2]): HistoryPoint[] {
  const score = historyScore(history, naming);
  if (score === null) return [];
  return history.entries.flatMap((entry): HistoryPoint[] => {
    const own = entry.scores[history.headline ?? 0];
    if (own?.row_mean == null) return [];
    const { against_best: against } = entry;
    const { mean, best } = historyCells(history, entry, naming);
    return [
      {
        value: own.row_mean,
        interval: own.confidence_interval ?? null,
        tone: against === null ? "baseline" : toneOf(standingOf(against), score),
        label: `${entry.label}: ${mean}, against the best ${best}`,
      },
    ];
  });
}
