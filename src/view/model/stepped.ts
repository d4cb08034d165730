import type { DiffAnswer, DiffTotals } from "../../respond/steps/diff.ts";
import type { EvaluationTools } from "../../respond/steps/tools-answer.ts";
import type { StopReason, StopReasons } from "../../respond/summary/stop-reasons.ts";
import type { Summary } from "../../respond/summary/scorer-stats.ts";
import type { ToolStats } from "../../respond/steps/tools.ts";
import type { PageName } from "../../words/names.ts";
import type { PageSteps } from "./answers.ts";
import { stepFieldNames } from "../../model/field-path.ts";
import { MOST_STEP_SCORES } from "../../model/steps.ts";

/** An evaluation whose figures stand beside those of another one. */
export interface SteppedSide {
  readonly name: PageName;
  readonly tools: EvaluationTools;
  readonly difference: DiffAnswer | undefined;
  readonly stopped: StopReasons | undefined;
}

/** What is told of some evaluations; of those that are left out nothing. */
export function steppedSides(steps: PageSteps, names: readonly PageName[]): SteppedSide[] {
  const { tools, differences, stopped } = steps;
  return names.flatMap((name) => {
    const isOf = (one: { readonly evaluation_call_id: string }) => one.evaluation_call_id === name.id;
    const own = tools.evaluations.find(isOf);
    return own === undefined
      ? []
      : [{ name, tools: own, difference: differences.find(isOf), stopped: stopped.find(isOf) }];
  });
}

/** Lines of which each side may have its own figures. */
export interface BesideLines<Line, Own> {
  readonly lines: readonly Line[];
  /** Undefined where a side does not have the line. */
  readonly of: (line: Line, side: SteppedSide) => Own | undefined;
  /** How many lines of a side are not shown. */
  readonly left: (side: SteppedSide) => number;
}

const MOST_LINES = 20;

/** Tools of all sides by errors, then calls, then name. */
export function toolLines(sides: readonly SteppedSide[]): BesideLines<string, ToolStats> {
  const tools = new Map(
    sides.map(({ name, tools: own }) => [name.id, new Map(own.tools.map((tool) => [tool.name, tool]))]),
  );
  const of = (tool: string, side: SteppedSide) => tools.get(side.name.id)?.get(tool);
  const sum = (tool: string, member: "errors" | "calls") =>
    sides.reduce((all, side) => all + (of(tool, side)?.[member] ?? 0), 0);
  const lines = [...new Set(sides.flatMap((side) => side.tools.tools.map(({ name }) => name)))]
    .toSorted(
      (a, b) => sum(b, "errors") - sum(a, "errors") || sum(b, "calls") - sum(a, "calls") || (a < b ? -1 : 1),
    )
    .slice(0, MOST_LINES);
  const shown = (side: SteppedSide) => lines.filter((tool) => of(tool, side) !== undefined).length;
  return { lines, of, left: (side) => side.tools.tool_count - shown(side) };
}

export type Instead = DiffTotals["instead"][number];

/** What failing attempts of all sides call where the passing one calls something else, most trials first. */
export function insteadLines(sides: readonly SteppedSide[]): BesideLines<Instead, Instead> {
  const keyOf = ({ name, other_name: other }: Instead) => JSON.stringify([name, other]);
  const found = ({ difference }: SteppedSide) => difference?.totals.instead ?? [];
  return unitedLines(sides, found, keyOf, ({ trials }) => trials);
}

export type PartedAt = DiffTotals["at"][number];

/** At which call failing attempts of all sides part from the passing one: where most do, in the order of calls. */
export function partedLines(sides: readonly SteppedSide[]): BesideLines<PartedAt, PartedAt> {
  const found = ({ difference }: SteppedSide) => difference?.totals.at ?? [];
  const { lines, ...rest } = unitedLines(
    sides,
    found,
    ({ index }) => String(index),
    ({ trials }) => trials,
  );
  return { lines: lines.toSorted((a, b) => a.index - b.index), ...rest };
}

/** Why trials of all sides stopped, most trials first; those that say nothing last. */
export function stoppedLines(sides: readonly SteppedSide[]): BesideLines<StopReason, StopReason> {
  const found = ({ stopped }: SteppedSide) => stopped?.stop_reasons ?? [];
  return unitedLines(
    sides,
    found,
    ({ reason }) => JSON.stringify(reason),
    ({ reason, count }) => (reason === null ? -1 : count),
  );
}

function unitedLines<One>(
  sides: readonly SteppedSide[],
  found: (side: SteppedSide) => readonly One[],
  keyOf: (one: One) => string,
  weigh: (one: One) => number,
): BesideLines<One, One> {
  const of = (line: One, side: SteppedSide) => found(side).find((one) => keyOf(one) === keyOf(line));
  const sum = (line: One) =>
    sides.reduce((all, side) => {
      const own = of(line, side);
      return own === undefined ? all : all + weigh(own);
    }, 0);
  const lines = [...new Map(sides.flatMap(found).map((one) => [keyOf(one), one])).values()]
    .toSorted((a, b) => sum(b) - sum(a))
    .slice(0, MOST_LINES);
  const keys = new Set(lines.map(keyOf));
  return { lines, of, left: (side) => found(side).filter((one) => !keys.has(keyOf(one))).length };
}

/** The fields of steps that filters can name: of all tools, of each that is told, and why trials stopped. */
export function stepFields(steps: PageSteps | undefined): string[] {
  if (steps === undefined) return [];
  const tools = new Set(steps.tools.evaluations.flatMap((one) => one.tools.map(({ name }) => name)));
  return [...stepFieldNames(tools), "stop_reason"];
}

/** Numbers of steps that are offered beside scores, by names that no scorer can have. */
const OFFERED_STEPS = ["evalcube.steps.count", "evalcube.steps.tool_errors", "evalcube.steps.repeats"];

/** The numbers of steps that a question names, and those that are offered as far as a request may have them. */
export function withOffered(named: readonly string[] | null | undefined): string[] {
  return [...(named ?? []), ...OFFERED_STEPS].slice(0, MOST_STEP_SCORES);
}

/** What they are called beside the scores of a summary. */
export function offeredSteps({ evaluations }: Summary): string[] {
  const isTaken = evaluations.some((one) =>
    one.scorer_stats.some((stats) => stats.scorer_key === "steps" && stats.better === undefined),
  );
  return isTaken ? OFFERED_STEPS : OFFERED_STEPS.map((name) => name.replace("evalcube.", ""));
}
