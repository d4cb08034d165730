import type { Answers } from "../answers.ts";
import { counted } from "../words/figures.ts";

/** `14 evaluations · 1,319 rows · 17,828 trials` */
export function countsText({ evaluations, summary }: Answers): string {
  const trials = summary.evaluations.reduce((sum, one) => sum + one.trial_count, 0);
  return [
    counted(evaluations.length, "evaluation"),
    counted(summary.row_count, "row"),
    counted(trials, "trial"),
  ].join(" · ");
}
