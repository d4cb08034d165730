import type { Json } from "../../model/json.ts";
import type { NamedStep, Operation, StepList } from "../../model/steps.ts";
import { formatTimestamp } from "../../model/timestamp.ts";
import { partsOf } from "../../model/turns.ts";
import type { PriceList } from "../../request/wire.ts";

/** A step of a trial, or a frame, which has neither number nor turn. What the source does not say is null. */
export interface ShownStep {
  /** Its number in the trial, from 1; null of a frame. */
  readonly step: number | null;
  /** Calls of models up to and including it; null of a frame. */
  readonly turn: number | null;
  /** What it is. */
  readonly operation: Operation;
  /** Name of a tool or an agent. */
  readonly name: string | null;
  /** Model of a `chat`. */
  readonly model: string | null;
  /** ISO 8601 in UTC. */
  readonly started_at: string | null;
  /** From start to end. */
  readonly duration_seconds: number | null;
  /** Of a `chat`, with cached ones. */
  readonly input_tokens: number | null;
  /** Of a `chat`. */
  readonly output_tokens: number | null;
  /** Of a `chat`. */
  readonly cached_tokens: number | null;
  /** Of a `chat`: what it states, else tokens times the price of the request. */
  readonly cost: number | null;
  /** Why a `chat` ended. */
  readonly finish_reason: string | null;
  /** How it failed; null where it did not, or nobody says. */
  readonly error_type: string | null;
  /** Of a tool: equal where name and arguments are. */
  readonly action: string | null;
  /** Id of its call. */
  readonly call_id: string;
  /** Id of the call above it. */
  readonly parent_id: string;
  /** The first step with the same action; null where this is it. */
  readonly repeat_of: number | null;
  /** Calls between it and the trial. */
  readonly depth: number;
  /** Of a tool its arguments, of a `chat` the last message, or all of it; absent without texts. */
  readonly input?: Json;
  /** What it gave; absent without texts. */
  readonly output?: Json;
}

/** Sums over all steps of a trial; null where one of them does not say, and all of them without a step. */
export interface TrialCounts {
  /** Calls of models. */
  readonly chats: number | null;
  /** Calls of tools. */
  readonly tools: number | null;
  /** Steps that failed. */
  readonly errors: number | null;
  /** Tools that failed. */
  readonly tool_errors: number | null;
  /** Calls of tools with the arguments of an earlier one. */
  readonly repeats: number | null;
  /** Number of the first step that failed; null where none did, or an earlier one is unknown. */
  readonly first_error: number | null;
  /** Sum over `chat` steps. */
  readonly input_tokens: number | null;
  /** Sum over `chat` steps. */
  readonly output_tokens: number | null;
  /** Null where no `chat` says it. */
  readonly cached_tokens: number | null;
  /** Sum over `chat` steps. */
  readonly cost: number | null;
  /** From the first start to the last end. */
  readonly seconds: number | null;
}

/** One trial, a line a step. */
export interface TrialAnswer {
  /** Which answer this is. */
  readonly view: "trial";
  /** Id of the call of the trial. */
  readonly trial_id: string;
  /** Id of its evaluation. */
  readonly evaluation_call_id: string;
  /** Digest of its row. */
  readonly row_digest: string;
  /** The dimension that says whether it passed; null where there is none. */
  readonly success: string | null;
  /** Whether it passed; null without a value. */
  readonly passed: boolean | null;
  /** The exception that ended it; null without. */
  readonly error: string | null;
  /** Why it stopped; null where nobody says. */
  readonly stop_reason: string | null;
  /** Sums over all steps, whatever the page. */
  readonly counts: TrialCounts;
  /** Steps and frames. */
  readonly step_count: number;
  /** The page of them, in their order. */
  readonly steps: readonly ShownStep[];
  /** Remarks for the reader. */
  readonly warnings: readonly string[];
}

/** What was counted so far. */
interface TrialTally {
  steps: number;
  chats: number;
  tools: number;
  errors: number;
  toolErrors: number;
  unknown: number;
  unknownTools: number;
  repeats: number;
  firstError: number | null;
  /** Sums over chats, and how many say it. */
  readonly sums: Record<Sum, { total: number; known: number }>;
  start: bigint | null;
  end: bigint | null;
}

type Sum = "inputTokens" | "outputTokens" | "cachedTokens" | "cost";

const NONE = { total: 0, known: 0 };

export function emptyTrial(): TrialTally {
  const counts = { steps: 0, chats: 0, tools: 0, errors: 0, toolErrors: 0, unknown: 0, unknownTools: 0 };
  const sums = {
    inputTokens: { ...NONE },
    outputTokens: { ...NONE },
    cachedTokens: { ...NONE },
    cost: { ...NONE },
  };
  return { ...counts, repeats: 0, firstError: null, sums, start: null, end: null };
}

const STEPS_AT_ONCE = 1000;

/** Adds the steps of a trial, in pieces. */
export function* addSteps(
  tally: TrialTally,
  steps: StepList<NamedStep>,
  prices: PriceList | null,
): Generator<void, void, undefined> {
  for (const part of partsOf(steps, STEPS_AT_ONCE)) {
    for (const step of part) if (!step.isFrame) addStep(tally, step, prices);
    yield;
  }
}

function addStep(tally: TrialTally, step: NamedStep, prices: PriceList | null): void {
  const { operation, failed } = step;
  const isTool = operation === "execute_tool";
  tally.steps++;
  if (isTool) tally.tools++;
  if (operation === "chat") {
    tally.chats++;
    const { inputTokens, outputTokens, cachedTokens } = step;
    addSum(tally.sums, { inputTokens, outputTokens, cachedTokens, cost: costOf(step, prices) });
  }
  if (failed === null) {
    tally.unknown++;
    if (isTool) tally.unknownTools++;
  } else if (failed) {
    if (tally.errors++ === 0 && tally.unknown === 0) tally.firstError = step.step;
    if (isTool) tally.toolErrors++;
  }
  if (step.repeatOf !== null) tally.repeats++;
  addTimes(tally, step);
}

function addSum(sums: TrialTally["sums"], values: Readonly<Record<Sum, number | null>>): void {
  for (const name of ["inputTokens", "outputTokens", "cachedTokens", "cost"] as const) {
    const value = values[name];
    if (value === null) continue;
    sums[name].total += value;
    sums[name].known++;
  }
}

function addTimes(tally: TrialTally, { startedAt, durationSeconds }: NamedStep): void {
  if (startedAt === null) return;
  if (tally.start === null || startedAt < tally.start) tally.start = startedAt;
  if (durationSeconds === null) return;
  const end = startedAt + BigInt(Math.round(durationSeconds * 1e6));
  if (tally.end === null || end > tally.end) tally.end = end;
}

/** What a step states, else its tokens times the price of its model. */
function costOf(step: NamedStep, prices: PriceList | null): number | null {
  const { cost, model, inputTokens, outputTokens } = step;
  const price = model !== null && prices !== null && Object.hasOwn(prices, model) ? prices[model] : undefined;
  if (cost !== null || price === undefined || step.operation !== "chat" || step.isFrame) return cost;
  if (inputTokens === null || outputTokens === null) return null;
  return (inputTokens * price.input + outputTokens * price.output) / 1e6;
}

export function trialCounts(tally: TrialTally): TrialCounts {
  const { steps, chats, sums, start, end } = tally;
  const counted = (count: number | null) => (steps === 0 ? null : count);
  const sumOf = (name: Sum) => (chats > 0 && sums[name].known === chats ? sums[name].total : null);
  return {
    chats: counted(chats),
    tools: counted(tally.tools),
    errors: counted(tally.unknown > 0 ? null : tally.errors),
    tool_errors: counted(tally.unknownTools > 0 ? null : tally.toolErrors),
    repeats: counted(tally.repeats),
    first_error: tally.firstError,
    input_tokens: sumOf("inputTokens"),
    output_tokens: sumOf("outputTokens"),
    cached_tokens: sums.cachedTokens.known === 0 ? null : sums.cachedTokens.total,
    cost: sumOf("cost"),
    seconds: start === null || end === null ? null : Number(end - start) / 1e6,
  };
}

/** A step as an answer has it, without texts. */
export function shownStep(step: NamedStep, prices: PriceList | null): ShownStep {
  return {
    step: step.step,
    turn: step.turn,
    operation: step.operation,
    name: step.name,
    model: step.model,
    started_at: step.startedAt === null ? null : formatTimestamp(step.startedAt),
    duration_seconds: step.durationSeconds,
    input_tokens: step.inputTokens,
    output_tokens: step.outputTokens,
    cached_tokens: step.cachedTokens,
    cost: costOf(step, prices),
    finish_reason: step.finishReason,
    error_type: step.errorType,
    action: step.action,
    call_id: step.callId,
    parent_id: step.parentId,
    repeat_of: step.repeatOf,
    depth: step.depth,
  };
}
