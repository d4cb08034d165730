import type { Adjustment } from "../../request/compare-request.ts";
import { grouped } from "../../model/grouped.ts";
import { mapInSlices } from "../../model/turns.ts";
import { average } from "../../stats/estimates/mean.ts";
import { sum } from "../../stats/numeric/sum.ts";
import { associate, type Association, type RowOutcomes } from "../../stats/tests/association.ts";
import { familyOf } from "../compare/family.ts";
import type { StepsTally, ToolOutcomes, ToolStats, ToolTally } from "./tools.ts";

/** What the trials of one evaluation did, on rows that pass the filters. */
export interface EvaluationTools {
  /** Id of the evaluation. */
  readonly evaluation_call_id: string;
  /** What it is called. */
  readonly label: string;
  /** Trials on rows that pass the filters. */
  readonly trial_count: number;
  /** Those of them with a step. */
  readonly trials_with_steps: number;
  /** Calls of models. */
  readonly chats: number;
  /** Calls of tools. */
  readonly tool_calls: number;
  /** Of the calls of which it is known; null where there are calls, and it is unknown of all. */
  readonly tool_errors: number | null;
  /** Calls of tools with the arguments of an earlier one of their trial. */
  readonly repeats: number;
  /** Tools in all. */
  readonly tool_count: number;
  /** The page: most errors first, unknown ones last; then calls, then name. */
  readonly tools: readonly ToolStats[];
}

/** Which tools fail, and whether that goes with less success. */
export interface ToolsAnswer {
  /** Which answer this is. */
  readonly view: "tools";
  /** The dimension that says whether a trial passed; null where there is none. */
  readonly success: string | null;
  /** Confidence level of the intervals. */
  readonly confidence: number;
  /** How p values are adjusted for each other. */
  readonly adjust: Adjustment;
  /** p values of all evaluations, which are adjusted for each other. */
  readonly family_size: number;
  /** In the order of the request. */
  readonly evaluations: readonly EvaluationTools[];
  /** Remarks for the reader. */
  readonly warnings: readonly string[];
}

interface TalliedEvaluation {
  readonly id: string;
  readonly label: string;
  readonly tally: StepsTally;
}

interface ToolsOptions {
  readonly success: string | null;
  readonly confidence: number;
  readonly adjust: Adjustment;
  readonly limit: number;
  readonly offset: number;
}

/** Tells what the trials of some evaluations did; `limit` and `offset` page the tools of each. */
export async function toolsAnswer(
  evaluations: readonly TalliedEvaluation[],
  { success, confidence, adjust, limit, offset }: ToolsOptions,
  signal: AbortSignal | undefined,
): Promise<Omit<ToolsAnswer, "warnings">> {
  const all = evaluations.flatMap(({ id, tally }) => [...tally.tools.values()].map((tool) => ({ id, tool })));
  const told = await mapInSlices(
    all,
    ({ id, tool }): ToldTool => {
      const rows = [...tool.outcomes.values()];
      return { id, tool, rows, found: associate(rows, confidence) };
    },
    signal,
  );
  const ps = told.map(({ found }) => found.p);
  const { adjusted, size } = familyOf(ps, adjust, 1 - confidence);
  const describeAt = (one: ToldTool, i: number) => ({
    id: one.id,
    stats: describe(one, adjusted[i] ?? null, 1 - confidence),
  });
  const stats = grouped(await mapInSlices(told, describeAt, signal), ({ id }) => id);
  return {
    view: "tools",
    success,
    confidence,
    adjust,
    family_size: size,
    evaluations: evaluations.map(({ id, label, tally }): EvaluationTools => {
      const tools = (stats.get(id) ?? []).map((one) => one.stats).toSorted(inOrder);
      return { ...totalsOf(id, label, tally), tools: tools.slice(offset, offset + limit) };
    }),
  };
}

function totalsOf(id: string, label: string, tally: StepsTally): Omit<EvaluationTools, "tools"> {
  const tools = [...tally.tools.values()];
  const total = (of: (tool: ToolTally) => number) => sum(tools.map(of));
  const calls = total((tool) => tool.calls);
  const isUnknown = calls > 0 && tools.every(({ known }) => known === 0);
  return {
    evaluation_call_id: id,
    label,
    trial_count: tally.trials,
    trials_with_steps: tally.withSteps,
    chats: tally.chats,
    tool_calls: calls,
    tool_errors: isUnknown ? null : total(({ errors }) => errors),
    repeats: total(({ repeats }) => repeats),
    tool_count: tools.length,
  };
}

interface ToldTool {
  readonly id: string;
  readonly tool: ToolTally;
  readonly rows: readonly RowOutcomes[];
  readonly found: Association;
}

const MOST_TEXTS = 10;

function describe({ tool, rows, found }: ToldTool, adjusted: number | null, alpha: number): ToolStats {
  const { known, errors, timed, microseconds } = tool;
  const isShown = adjusted !== null && adjusted <= alpha;
  const types = [...tool.errorTypes].map(([text, count]) => ({ text, count }));
  return {
    name: tool.name,
    calls: tool.calls,
    known_calls: known,
    errors: known === 0 ? null : errors,
    error_rate: known === 0 ? null : errors / known,
    repeats: tool.repeats,
    mean_seconds: timed === 0 ? null : microseconds / timed / 1e6,
    trials: tool.trials,
    rows: tool.outcomes.size,
    with_error: outcomesOf(
      rows,
      (row) => row.withPassed,
      (row) => row.withFailed,
    ),
    without_error: outcomesOf(
      rows,
      (row) => row.withoutPassed,
      (row) => row.withoutFailed,
    ),
    difference: found.difference,
    confidence_interval: found.interval,
    p_value: found.p,
    p_value_adjusted: adjusted,
    association: !isShown ? "not_shown" : (found.difference ?? 0) < 0 ? "lower" : "higher",
    within_rows: withinRows(rows),
    error_types: types.toSorted((a, b) => b.count - a.count || byUnits(a.text, b.text)).slice(0, MOST_TEXTS),
  };
}

function outcomesOf(
  rows: readonly RowOutcomes[],
  passedOf: (row: RowOutcomes) => number,
  failedOf: (row: RowOutcomes) => number,
): ToolOutcomes {
  const [passed, failed] = [sum(rows.map(passedOf)), sum(rows.map(failedOf))];
  const trials = passed + failed;
  return { trials, passed, failed, rate: trials === 0 ? null : passed / trials };
}

/** Rows in the order of their difference, so that the mean depends on no other. */
function withinRows(rows: readonly RowOutcomes[]): ToolStats["within_rows"] {
  const differences = rows.flatMap(({ withPassed, withFailed, withoutPassed, withoutFailed }) => {
    const [own, other] = [withPassed + withFailed, withoutPassed + withoutFailed];
    return own === 0 || other === 0 ? [] : [withPassed / own - withoutPassed / other];
  });
  const count = differences.length;
  return {
    rows: count,
    difference: count === 0 ? null : average(differences.toSorted((a, b) => a - b)),
  };
}

function inOrder(a: ToolStats, b: ToolStats): number {
  return (b.errors ?? -1) - (a.errors ?? -1) || b.calls - a.calls || byUnits(a.name, b.name);
}

const byUnits = (a: string, b: string) => Number(a > b) - Number(a < b);
