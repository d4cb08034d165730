import { partsOf } from "../../model/turns.ts";
import type { Step, TrialSteps } from "../../model/steps.ts";
import type { Interval } from "../../stats/estimates/mean.ts";
import type { RowOutcomes } from "../../stats/tests/association.ts";

/** Trials of which something is known, and how many of them passed. */
export interface ToolOutcomes {
  /** passed + failed: trials without a value of the success are in neither. */
  readonly trials: number;
  /** Those that passed. */
  readonly passed: number;
  /** Those that failed. */
  readonly failed: number;
  /** passed / trials; null without any. */
  readonly rate: number | null;
}

/** What trials did with one tool, and how its errors go with success. A quantity that does not exist is null. */
export interface ToolStats {
  /** Name of the tool. */
  readonly name: string;
  /** Calls of it. */
  readonly calls: number;
  /** Calls of which it is known whether they failed. */
  readonly known_calls: number;
  /** Of the known calls, those that failed; null where none is known. */
  readonly errors: number | null;
  /** `errors` / `known_calls`; null where none is known. */
  readonly error_rate: number | null;
  /** Calls with the arguments of an earlier one of their trial. */
  readonly repeats: number;
  /** Mean of the known durations, in seconds. */
  readonly mean_seconds: number | null;
  /** Trials with a call. */
  readonly trials: number;
  /** Rows of these trials. */
  readonly rows: number;
  /** Trials that called it and have a value of the success: with a failed call. */
  readonly with_error: ToolOutcomes;
  /** With none failed, and none of which that is unknown. */
  readonly without_error: ToolOutcomes;
  /** Rate with an error less rate without. */
  readonly difference: number | null;
  /** Interval of `difference` over rows; leaves out 0 where `p_value` does. */
  readonly confidence_interval: Interval | null;
  /** Of no association, two-sided, over rows; null unless five rows have a trial of either kind. */
  readonly p_value: number | null;
  /** Over all tools of all evaluations of the answer. */
  readonly p_value_adjusted: number | null;
  /** Whether trials with an error pass less or more often, at 1 − confidence. */
  readonly association: "lower" | "higher" | "not_shown";
  /** Rows that have both kinds of trials, and the mean over these of the difference of their rates. */
  readonly within_rows: { readonly rows: number; readonly difference: number | null };
  /** Up to ten, those of most calls first. */
  readonly error_types: readonly { readonly text: string; readonly count: number }[];
}

/** The steps of a trial, and whether it passed; null without a value of the success. */
export interface TriedSteps extends Pick<TrialSteps, "rowDigest"> {
  readonly steps: readonly Pick<
    Step,
    "operation" | "isFrame" | "name" | "repeatOf" | "failed" | "errorType" | "durationSeconds"
  >[];
  readonly passed: boolean | null;
}

type TriedStep = TriedSteps["steps"][number];

/** What the trials of an evaluation did with one tool. */
export interface ToolTally {
  readonly name: string;
  calls: number;
  known: number;
  errors: number;
  repeats: number;
  timed: number;
  /** Of those that are timed; whole numbers add up alike in any order. */
  microseconds: number;
  trials: number;
  readonly rows: Set<string>;
  /** By digest; only of rows with a trial of either kind. */
  readonly outcomes: Map<string, Mutable<RowOutcomes>>;
  readonly errorTypes: Map<string, number>;
}

type Mutable<Counts> = { -readonly [Name in keyof Counts]: Counts[Name] };

/** What the trials of an evaluation did. */
export interface StepsTally {
  trials: number;
  withSteps: number;
  chats: number;
  readonly tools: Map<string, ToolTally>;
}

export function emptyTally(): StepsTally {
  return { trials: 0, withSteps: 0, chats: 0, tools: new Map() };
}

/** Steps between two turns. */
const STEPS_AT_ONCE = 1000;

/** Adds what trials did, in pieces. */
export function* addTrials(
  tally: StepsTally,
  trials: Iterable<TriedSteps>,
): Generator<void, void, undefined> {
  for (const trial of trials) {
    const used = new Map<ToolTally, ToolUse>();
    for (const part of partsOf(trial.steps, STEPS_AT_ONCE)) {
      for (const step of part) addStep(tally, step, used);
      yield;
    }
    tally.trials++;
    if (trial.steps.some(({ isFrame }) => !isFrame)) tally.withSteps++;
    for (const [tool, use] of used) addUse(tool, use, trial);
    yield;
  }
}

/** What a trial did with a tool. */
interface ToolUse {
  isFailed: boolean;
  isUnknown: boolean;
}

function addStep(tally: StepsTally, step: TriedStep, used: Map<ToolTally, ToolUse>): void {
  if (step.isFrame) return;
  if (step.operation === "chat") tally.chats++;
  if (step.operation !== "execute_tool") return;
  const tool = toolOf(tally, step.name ?? "");
  addCall(tool, step);
  const use = used.get(tool) ?? { isFailed: false, isUnknown: false };
  if (step.failed === true) use.isFailed = true;
  if (step.failed === null) use.isUnknown = true;
  used.set(tool, use);
}

function addUse(tool: ToolTally, { isFailed, isUnknown }: ToolUse, { rowDigest, passed }: TriedSteps): void {
  tool.trials++;
  tool.rows.add(rowDigest);
  if (passed === null || (isUnknown && !isFailed)) return;
  const outcomes = outcomesAt(tool, rowDigest);
  if (isFailed) outcomes[passed ? "withPassed" : "withFailed"]++;
  else outcomes[passed ? "withoutPassed" : "withoutFailed"]++;
}

function toolOf({ tools }: StepsTally, name: string): ToolTally {
  const known = tools.get(name);
  if (known !== undefined) return known;
  const counts = { calls: 0, known: 0, errors: 0, repeats: 0, timed: 0, microseconds: 0, trials: 0 };
  const tool = { name, ...counts, rows: new Set<string>(), outcomes: new Map(), errorTypes: new Map() };
  tools.set(name, tool);
  return tool;
}

function addCall(tool: ToolTally, step: TriedStep): void {
  const { repeatOf, failed, errorType, durationSeconds } = step;
  tool.calls++;
  if (repeatOf !== null) tool.repeats++;
  if (failed !== null) tool.known++;
  if (failed === true) tool.errors++;
  if (errorType !== null) tool.errorTypes.set(errorType, (tool.errorTypes.get(errorType) ?? 0) + 1);
  if (durationSeconds !== null) {
    tool.timed++;
    tool.microseconds += Math.round(durationSeconds * 1e6);
  }
}

function outcomesAt({ outcomes }: ToolTally, row: string): Mutable<RowOutcomes> {
  const known = outcomes.get(row);
  if (known !== undefined) return known;
  const none = { withPassed: 0, withFailed: 0, withoutPassed: 0, withoutFailed: 0 };
  outcomes.set(row, none);
  return none;
}
