import type { PlanAnswer } from "../respond/plan/plan-rows.ts";
import { counted, meanText, sizeText } from "./figures.ts";

/** How many rows each number of trials takes, a sentence each. */
export function planSentences({ plans, detect, rate }: PlanAnswer): string[] {
  const difference = sizeText(detect, rate ? "binary" : "continuous");
  return plans.map(({ trials, rows, calls, found }) => {
    const each = `with ${counted(trials, "trial")} a row`;
    if (rows === null || calls === null)
      return `No number of rows ${each} finds a difference of ${difference}.`;
    const often = meanText(found, "binary");
    return `${counted(rows, "row")} ${each} (${counted(calls, "call")}) find a difference of ${difference} in ${often} of cases.`;
  });
}
