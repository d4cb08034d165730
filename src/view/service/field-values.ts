import type { Answers } from "../answers.ts";
import { scoreName } from "../model/scores.ts";

/** Values of a field as the form of filters reads them; none where they are not known. */
export function fieldValues({ summary, whole }: Answers, field: string): readonly string[] {
  const of = (whole ?? summary).evaluations.flatMap((one) => one.scorer_stats);
  const own = of.filter((stats) => `scores.${scoreName(stats)}` === field);
  return own.some((stats) => stats.value_type === "binary") ? ["true", "false"] : [];
}
