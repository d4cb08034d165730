import type { CompareRequest, Comparison, Engine } from "../../index.ts";
import { type GivenName, splitFieldPath, stepScores } from "../../model/field-path.ts";
import { usageFault } from "../../request/meaningless.ts";
import type { Compared } from "../../words/comparison-words.ts";
import { counted, meanText, outOf } from "../../words/figures.ts";
import { scoreName } from "../../words/score.ts";
import { POINT } from "./figure-gates.ts";
import { type FigureGate, type Gate, isBeyond, isOnSteps, type PairGate } from "./parse-gate.ts";
import { comparedRows, ofGates, readBoard } from "./read-board.ts";
import { KNOWN_SHARE } from "./usage-gates.ts";

/** What steps count on both sides, for gates on how much more the candidate has. */
export interface StepMeans {
  readonly comparisons: readonly Comparison[];
  /** Rows that both have tried, by candidate. */
  readonly rows: ReadonlyMap<string, number>;
}

/** What may be numbers of steps among the scores of a request and of gates. */
export function stepsNamed(asked: CompareRequest, gates: readonly (Gate | PairGate)[]): GivenName[] {
  const { scorers, lower_is_better, higher_is_better } = asked;
  const gated = gates.flatMap((gate) => (gate.kind === "score" ? [gate.name] : []));
  const named = stepScores({
    "--scorer": scorers,
    "--lower-is-better": lower_is_better,
    "--higher-is-better": higher_is_better,
    "--fail-on": gated,
  });
  return named.map(({ name, loc }) => ({ name, loc: loc[0] === "--fail-on" ? ["--fail-on"] : loc }));
}

/** The gates that are on steps: none where a scorer is called `steps`, but for those that say whose they are. */
export async function gatesOnSteps(
  engine: Engine,
  project: string,
  { request, sides }: Compared,
  gates: readonly Gate[],
  signal: AbortSignal,
): Promise<readonly FigureGate[]> {
  const own = gates.filter(isOnSteps);
  const sure = own.filter(({ name }) => name.startsWith("evalcube."));
  if (sure.length === own.length) return own;
  const { dimensions } = await readBoard(engine, project, request, sides, [], signal);
  return dimensions.some(({ scorer_key: key }) => key === "steps") ? sure : own;
}

/** Reads what gates on steps need. */
export async function readStepMeans(
  engine: Engine,
  project: string,
  { request, sides }: Compared,
  gates: readonly FigureGate[],
  signal: AbortSignal,
): Promise<StepMeans> {
  if (gates.length === 0) return { comparisons: [], rows: new Map() };
  const scorers = [...new Set(gates.map(({ name }) => name))];
  const comparisons = await comparedBy(engine, project, request, scorers, signal);
  const { evaluations: _all, ...which } = comparedRows(request, sides);
  const rows = new Map<string, number>();
  for (const { baseline, candidate } of sides) {
    const asked = { ...which, evaluation_call_ids: [baseline, candidate], ...SHARED };
    const { summary } = await engine.queryEvalResults(project, asked, { signal });
    rows.set(candidate, summary?.row_count ?? 0);
  }
  return { comparisons, rows };
}

const SHARED = { include_rows: false, include_summary: true, summary_require_intersection: true } as const;

async function comparedBy(
  engine: Engine,
  project: string,
  request: CompareRequest,
  scorers: readonly string[],
  signal: AbortSignal,
): Promise<readonly Comparison[]> {
  const {
    lower_is_better: _lower,
    higher_is_better: _higher,
    by: _by,
    max_slices: _most,
    corrected_by: _by_people,
    baseline_is_best: _best,
    margin: _margin,
    ...asked
  } = request;
  try {
    return (await engine.compareEvaluations(project, { ...asked, scorers }, { signal })).comparisons;
  } catch (error) {
    throw ofGates(error);
  }
}

/** Why a gate on steps is met. Throws `RequestError` where they are unknown on a fifth of the rows or more. */
export function stepReasons(
  { name, threshold, text, shown }: FigureGate,
  { names, answer }: Compared,
  { comparisons, rows }: StepMeans,
): string[] {
  const wanted = splitFieldPath(name).join(".");
  return comparisons.flatMap((one) => {
    if (scoreName(one) !== wanted) return [];
    const label = names.get(one.candidate) ?? one.candidate;
    const shared = rows.get(one.candidate) ?? one.n_common;
    const { candidate_mean: own, baseline_mean: before } = one;
    if (own === null || before === null || one.n_common <= KNOWN_SHARE * shared) {
      const said = `${name} of ${label} is known on ${outOf(one.n_common, shared)} shared rows on both sides`;
      throw usageFault(["--fail-on"], `${text} cannot be judged: ${said}`);
    }
    const more = own - before;
    const value = before === 0 ? (more === 0 ? 0 : Infinity) : more / before;
    const isShown = one.p_value_adjusted !== null && one.p_value_adjusted <= 1 - answer.confidence;
    if (!isBeyond(value, threshold) || (shown && !isShown)) return [];
    const means = `${meanText(own, "continuous")}, ${meanText(before, "continuous")} before`;
    return [
      `${text}: ${label} has a mean of ${means} (${counted(one.n_common, "shared row")})${shown ? "" : POINT}`,
    ];
  });
}
