import type { CompareRequest, Engine, EvaluationRun } from "../../index.ts";
import { RequestError, StoreError } from "../../errors.ts";
import { at } from "../../model/json.ts";
import { oneLine } from "../../model/plain-line.ts";
import { errorLines } from "../../words/errors.ts";
import { counted, countText } from "../../words/figures.ts";
import { judgeAlone, type JudgedAlone } from "../gates/judge-alone.ts";
import type { Gate } from "../gates/parse-gate.ts";
import { readPrices } from "../request/prices.ts";
import { GateFailure, NotComparable, RunFailure } from "../terminal/failure.ts";
import { note, noteAll, type Terminal } from "../terminal/terminal.ts";
import type { Evaluation } from "./evaluation-module.ts";
import type { Ran, RunOptions } from "./judge-run.ts";

/** Whether an error says no more than how the run ends. */
export function isToldLater(error: unknown, { failed }: Pick<Ran, "failed">): error is Error {
  return error instanceof GateFailure || (failed.length > 0 && error instanceof RequestError);
}

/** Ends the command as what ran and the gates that are met say. */
export async function conclude(
  { failed, alone: { unjudged } }: Ran,
  met: readonly string[],
  { notComparable }: RunOptions,
  terminal: Terminal,
): Promise<void> {
  if (failed.length > 0) throw new RunFailure([...met, ...unjudged, ...failed]);
  if (met.length > 0) throw new GateFailure([...met, ...unjudged]);
  if (notComparable === "warn") await noteAll(terminal, unjudged);
  else if (unjudged.length > 0) throw new NotComparable(unjudged);
}

/**
 * Judges those that are compared with nothing; where a run failed, a gate that cannot be judged is told before that.
 */
export async function judgeFirst(
  engine: Engine,
  { project, failed }: Pick<Ran, "project" | "failed">,
  ids: readonly string[],
  gates: readonly Gate[],
  options: RunOptions,
  terminal: Terminal,
): Promise<JudgedAlone> {
  const { countErrorsAs, countNullsAs } = options;
  const costs = { costs: options.costs, prices: await readPrices(options, terminal) };
  const request = {
    count_errors_as: countErrorsAs,
    count_nulls_as: countNullsAs,
    ...costs,
  } as CompareRequest;
  try {
    return await judgeAlone(engine, project, ids, gates, request, terminal.signal);
  } catch (error) {
    if (!isToldLater(error, { failed })) throw error;
    return { reasons: [error.message], unjudged: [] };
  }
}

/** Notes what went wrong; a sentence where nothing ran, all trials failed, or no scorer gave a value. */
export async function tellErrors(
  engine: Engine,
  project: string,
  { id, name: given }: EvaluationRun,
  { scorers }: Evaluation,
  terminal: Terminal,
): Promise<string[]> {
  const request = { evaluation_call_ids: [id], include_rows: false, include_summary: true } as const;
  const { summary } = await engine.queryEvalResults(project, { ...request, include_errors: true });
  const [told] = summary?.evaluations ?? [];
  const count = (await engine.listEvaluations(project)).find((one) => one.id === id)?.error_count ?? 0;
  const name = oneLine(given);
  if (told === undefined || told.trial_count === 0) return [`${name}: no rows, nothing was run`];
  const lines = errorLines(name, count, told);
  await note(terminal, lines.map((one) => `${one}\n`).join(""));
  const all = countText(count);
  if (count === told.trial_count) return [`${name}: ${all} of ${all} trials failed`];
  const isScored = told.scorer_stats.some(({ trial_count: scored }) => scored > 0);
  if (isScored || Object.keys(scorers).length === 0) return [];
  return [`${name}: ${counted(told.trial_count, "trial")} and no score`];
}

/** Notes how to go on with what was cancelled, or lost its database. */
export async function tellWayOn(
  evaluation: Evaluation,
  error: unknown,
  wayOn: string,
  terminal: Terminal,
): Promise<void> {
  const ended = at(error, "run") as EvaluationRun | undefined;
  const isAway = error instanceof StoreError && error.code === "unreachable";
  if (ended !== undefined && (ended.status === "cancelled" || isAway))
    await note(terminal, `${endedText(evaluation, ended)}${wayOn}\n`);
}

/** `support small: cancelled; 10 of 60 trials stored. Go on with: `. */
function endedText({ name, data, trials: each = 1 }: Evaluation, { trials, status }: EvaluationRun): string {
  const all = Array.isArray(data) && typeof each === "number" ? data.length * each : null;
  const stored = all === null ? countText(trials) : `${countText(trials)} of ${countText(all)}`;
  const noun = (all ?? trials) === 1 ? "trial" : "trials";
  return `${oneLine(name)}: ${status}; ${stored} ${noun} stored. Go on with: `;
}
