import type { AgreementResponse, CompareRequest, Engine } from "../../index.ts";
import { counted, intervalName } from "../../view/words/figures.ts";
import { scoreName } from "../../view/words/score.ts";
import { isBeyond, type JudgeGate } from "./parse-gate.ts";

/** Why a gate on a judge is met, in one line; null where it is not. A judge whose kappa has no lower limit meets it. */
export function agreementReason({ threshold, text }: JudgeGate, answer: AgreementResponse): string | null {
  const { a, b, confidence, n_both: trials, row_count: rows } = answer;
  const [least] = answer.cohen_kappa_interval ?? [];
  if (least !== undefined && !isBeyond(least, threshold)) return null;
  const kappa = answer.cohen_kappa === null ? "no kappa" : `a kappa of ${figure(answer.cohen_kappa)}`;
  const limit = least === undefined ? "without a lower limit" : `at least ${figure(least)}`;
  const over = `${intervalName(confidence)}, ${counted(trials, "trial")} on ${counted(rows, "row")}`;
  return `${text}: ${scoreName(b)} has ${kappa} with ${scoreName(a)}, ${limit} (${over})`;
}

/** Six digits, so that a limit just below the threshold does not look like it. */
function figure(value: number): string {
  return String(Number(value.toPrecision(6)));
}
