import type { AgreementResponse, Comparison, Engine } from "../../index.ts";
import { RequestError } from "../../errors.ts";
import { fieldText } from "../../model/field-path.ts";
import { counted, intervalName } from "../../words/figures.ts";
import { scoreName } from "../../words/score.ts";
import type { Compared } from "../../words/comparison-words.ts";
import { comparedRows, ofGates } from "./read-board.ts";
import { isBeyond, type JudgeGate } from "./parse-gate.ts";

/**
 * How far each compared judge agrees with the people that correct it, on the trials of all compared evaluations. Throws
 * `RequestError` where no trial has both.
 */
export async function readAgreements(
  engine: Engine,
  project: string,
  { answer, request, sides }: Compared,
  signal: AbortSignal,
): Promise<AgreementResponse[]> {
  const judges = new Set(answer.comparisons.map(requestName));
  const human = request.corrected_by?.human ?? "";
  const agreements: AgreementResponse[] = [];
  for (const judge of judges) {
    const { feedback_by } = request;
    const rows = { ...comparedRows(request, sides), ...(feedback_by === undefined ? {} : { feedback_by }) };
    const asked = { ...rows, a: human, b: judge, confidence: answer.confidence };
    agreements.push(
      await engine.agreement(project, asked, { signal }).catch((error: unknown) => {
        throw error instanceof RequestError && isDimension(error.path[0]) ? ofGates(error) : error;
      }),
    );
  }
  return agreements;
}

function isDimension(member: string | number | undefined): boolean {
  return member === "a" || member === "b";
}

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

/** The name of a compared score as requests spell it. */
function requestName({ scorer_key: scorer, path }: Comparison): string {
  return path === null ? fieldText([scorer]) : `${fieldText([scorer])}.${path}`;
}

/** Six digits, so that a limit just below the threshold does not look like it. */
function figure(value: number): string {
  return String(Number(value.toPrecision(6)));
}
