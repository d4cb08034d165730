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

/** A trial, and whether it passed; null without a value of the success. */
export interface TriedTrial {
  readonly rowDigest: string;
  readonly passed: boolean | null;
}

/** What is known of a call of a tool. */
interface CallOfTool {
  readonly name: string;
  /** Null where that is unknown. */
  readonly failed: boolean | null;
  readonly errorType: string | null;
  /** Whether another call of its trial before it has its action. */
  readonly isRepeated: boolean;
  /** How long it took. */
  readonly microseconds: number | null;
}

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
  /** Of the rows of these, by digest. */
  readonly outcomes: Map<string, Mutable<RowOutcomes>>;
  readonly errorTypes: Map<string, number>;
  /** What the trial did with it that is being added. */
  isUsed: boolean;
  isFailed: boolean;
  isUnknown: boolean;
}

type Mutable<Counts> = { -readonly [Name in keyof Counts]: Counts[Name] };

/** What the trials of an evaluation did. */
export interface StepsTally {
  trials: number;
  withSteps: number;
  chats: number;
  readonly tools: Map<string, ToolTally>;
  /** Those that were called in the trial that is being added. */
  readonly used: ToolTally[];
}

export function emptyTally(): StepsTally {
  return { trials: 0, withSteps: 0, chats: 0, tools: new Map(), used: [] };
}

/** Adds a call of a tool in the trial that `addTrial` adds afterwards. */
export function addCall({ tools, used }: StepsTally, call: CallOfTool): void {
  const { name, failed, errorType, microseconds } = call;
  const tool = tools.get(name) ?? newTool(tools, name);
  tool.calls++;
  if (call.isRepeated) tool.repeats++;
  if (failed !== null) tool.known++;
  if (failed === true) tool.errors++;
  if (errorType !== null) tool.errorTypes.set(errorType, (tool.errorTypes.get(errorType) ?? 0) + 1);
  if (microseconds !== null) {
    tool.timed++;
    tool.microseconds += microseconds;
  }
  if (!tool.isUsed) used.push(tool);
  tool.isUsed = true;
  if (failed === true) tool.isFailed = true;
  if (failed === null) tool.isUnknown = true;
}

/** Adds a trial whose calls of tools were added. */
export function addTrial(tally: StepsTally, trial: TriedTrial, chats: number): void {
  tally.trials++;
  tally.chats += chats;
  if (chats + tally.used.length > 0) tally.withSteps++;
  for (const tool of tally.used.splice(0)) addUse(tool, trial);
}

function addUse(tool: ToolTally, { rowDigest, passed }: TriedTrial): void {
  const { isFailed, isUnknown } = tool;
  tool.isUsed = tool.isFailed = tool.isUnknown = false;
  tool.trials++;
  const outcomes = outcomesAt(tool, rowDigest);
  if (passed === null || (isUnknown && !isFailed)) return;
  if (isFailed) outcomes[passed ? "withPassed" : "withFailed"]++;
  else outcomes[passed ? "withoutPassed" : "withoutFailed"]++;
}

function newTool(tools: StepsTally["tools"], name: string): ToolTally {
  const counts = { calls: 0, known: 0, errors: 0, repeats: 0, timed: 0, microseconds: 0, trials: 0 };
  const use = { isUsed: false, isFailed: false, isUnknown: false };
  const tool = { name, ...counts, ...use, outcomes: new Map(), errorTypes: new Map() };
  tools.set(name, tool);
  return tool;
}

function outcomesAt({ outcomes }: ToolTally, row: string): Mutable<RowOutcomes> {
  const known = outcomes.get(row);
  if (known !== undefined) return known;
  const none = { withPassed: 0, withFailed: 0, withoutPassed: 0, withoutFailed: 0 };
  outcomes.set(row, none);
  return none;
}
