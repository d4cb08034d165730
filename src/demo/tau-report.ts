import type { ResultRow, Summary } from "../index.ts";
import { passHatK } from "../stats/estimates/pass-k.ts";
import type { DemoAnswers } from "./answers.ts";
import { tauBenchAirline } from "./tau-bench-airline.ts";
import { percent, textTable } from "./text-table.ts";
import { countText } from "../view/words/figures.ts";

/** Lists means, pass rates and trial counts by scorer. */
export function scorerTable(summary: Summary, colour: boolean): string {
  const rows = summary.evaluations.flatMap((evaluation) =>
    evaluation.scorer_stats.map((stats) => [
      evaluation.display_name ?? evaluation.evaluation_call_id,
      stats.scorer_key,
      countText(stats.trial_count),
      stats.numeric_mean?.toFixed(3) ?? "–",
      percent(stats.pass_rate, 1),
    ]),
  );
  return textTable(
    [
      { head: "Model" },
      { head: "Scorer" },
      { head: "Trials", align: "right" },
      { head: "mean", align: "right" },
      { head: "pass rate", align: "right" },
    ],
    rows,
    colour,
  );
}

/** Lists pass^k, computed from the trials of each row, beside the published figures. */
export function passHatTable(answers: DemoAnswers["tau"], colour: boolean): string {
  const rows = tauBenchAirline.publishedPassHat.map((published, i) => {
    const own = meanPassHat(answers.rows, i + 1);
    return [`pass^${i + 1}`, own === null ? "–" : own.toFixed(3), published.toFixed(3)];
  });
  return textTable(
    [{ head: "" }, { head: "here", align: "right" }, { head: "published", align: "right" }],
    rows,
    colour,
  );
}

/**
 * The mean over rows of the probability that k trials of the row all pass; null where a row has fewer than k trials.
 */
function meanPassHat(rows: readonly ResultRow[], k: number): number | null {
  let sum = 0;
  for (const row of rows) {
    const trials = row.evaluations.flatMap((entry) => entry.trials);
    const solved = trials.filter((trial) => trial.scores["solved"] === true).length;
    const chance = passHatK(trials.length, solved, k);
    if (chance === null) return null;
    sum += chance;
  }
  return rows.length === 0 ? null : sum / rows.length;
}
