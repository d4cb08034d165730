import type { Answers } from "../answers.ts";
import { counted } from "../words/figures.ts";

/** What there is, filtered or not: `14 evaluations · 1,319 rows · 17,828 trials` */
export function countsText({ evaluations, summary: shown, whole }: Answers): string {
  const summary = whole ?? shown;
  const trials = summary.evaluations.reduce((sum, one) => sum + one.trial_count, 0);
  return [
    counted(evaluations.length, "evaluation"),
    counted(summary.row_count, "row"),
    counted(trials, "trial"),
  ].join(" · ");
}

/** Whether there are rows, and the filters let none of them pass. */
export function passesNone({ summary, whole }: Answers): boolean {
  return summary.row_count === 0 && (whole?.row_count ?? 0) > 0;
}
