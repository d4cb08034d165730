import { EvalcubeError } from "../errors.ts";
import { closedError, createUnderWay, type UnderWay } from "../flow/tasks.ts";
import type { EvaluateOptions, EvaluationRun, EvaluationOptions } from "./api.ts";
import { createRowKeys, type RowKey, type RowKeys } from "./row-keys.ts";
import type { Evaluation } from "./call-records.ts";
import { createClock, type Clock } from "./clock.ts";
import type { CallStore } from "./seam.ts";
import { NO_EARLIER_RUNS, type EarlierRuns } from "./earlier-trials.ts";
import { createTrialBook, type Claim, type TrialBook } from "./trial-book.ts";
import { createOutbox, type Droppable, type Outbox } from "./outbox.ts";
import type { Draft } from "./draft.ts";
import { v7 as uuidv7 } from "uuid";
import type { Conventions } from "../model/conventions.ts";
import type { Directions } from "../model/direction.ts";
import { fieldText } from "../model/field-path.ts";
import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import { shown } from "../model/messages.ts";
import { nameText } from "../model/name-text.ts";
import { namedObject, plainJson, scorerReferences } from "./values.ts";

/** What an engine lends its loggers. */
export interface LoggingContext {
  readonly store: CallStore;
  readonly outbox: Outbox;
  /** Those that have not ended well. */
  readonly runs: Set<Run>;
  /** What was asked of loggers and has no result yet. */
  readonly underWay: UnderWay;
  /** Runs that `evaluate` loops over, each with what ends its loop. */
  readonly loops: Map<Run, () => void>;
  isClosed: boolean;
}

export function createContext(store: CallStore): LoggingContext {
  const [runs, loops] = [new Set<Run>(), new Map<Run, () => void>()];
  return {
    store,
    outbox: createOutbox(store.write),
    runs,
    underWay: createUnderWay(),
    loops,
    isClosed: false,
  };
}

export function refuseClosed({ isClosed }: LoggingContext): void {
  if (isClosed) throw closedError();
}

/** A trial under way, as the book knows it. */
export interface Claimed {
  readonly claim: Claim;
  readonly digest: string;
}

/** How a run ends. */
export interface Ending {
  readonly status: EvaluationRun["status"];
  /** Undefined where it ends well. */
  readonly error?: unknown;
  readonly summary?: JsonObject | undefined;
}

/** A trial that an earlier run stored without error. */
export interface StoredTrial {
  readonly id: string;
  readonly number: number;
}

/** What a run has made durable: `done` and `failed` in this run, the others over all runs. */
export interface RunCounts {
  done: number;
  failed: number;
  trials: number;
  errors: number;
  scorerErrors: number;
  skipped: number;
}

/** Parcels that are not durable, and about how many characters of JSON they hold. */
interface Undelivered {
  parcels: number;
  size: number;
}

/** What the caller hears of a run. */
interface RunEvents {
  readonly onWarning: (message: string) => void;
  /** Called when trials have become durable. Must not throw. */
  readonly onStored: (counts: Readonly<RunCounts>) => void;
}

/** One run of an evaluation: the state behind a logger. */
export interface Run {
  readonly context: LoggingContext;
  readonly evaluation: Evaluation;
  readonly events: RunEvents;
  readonly clock: Clock;
  readonly book: TrialBook;
  /** Null where rows have none. */
  readonly keys: RowKeys | null;
  readonly startedAt: number;
  /** Until the stored trials are known; rejects where the evaluation must not be written to. */
  opening: Promise<void> | null;
  earlier: EarlierRuns;
  readonly open: Map<Draft, Claimed>;
  readonly counts: RunCounts;
  readonly undelivered: Undelivered;
  /** Errors of promises that were dropped, until a flush tells of them. */
  dropped: { readonly promise: Droppable<unknown>; readonly error: unknown }[];
  /** How many trials were refused with an error while nobody listened. */
  readonly refused: Map<unknown, number>;
  /** Errors that somebody heard of. */
  readonly told: WeakSet<WeakKey>;
  warned: { memory: boolean; text: boolean; error: unknown };
  isFinished: boolean;
  finishing: Promise<EvaluationRun> | null;
}

export function newRun(
  context: LoggingContext,
  evaluation: Evaluation,
  events: RunEvents,
  rowKey: RowKey<never> | undefined,
): Run {
  const clock = createClock();
  const run: Run = {
    context,
    evaluation,
    events,
    clock,
    book: createTrialBook(clock),
    keys: createRowKeys(rowKey),
    startedAt: clock.tick(),
    opening: null,
    earlier: NO_EARLIER_RUNS,
    open: new Map(),
    counts: { done: 0, failed: 0, trials: 0, errors: 0, scorerErrors: 0, skipped: 0 },
    undelivered: { parcels: 0, size: 0 },
    dropped: [],
    refused: new Map(),
    told: new WeakSet(),
    warned: { memory: false, text: false, error: null },
    isFinished: false,
    finishing: null,
  };
  context.runs.add(run);
  return run;
}

/** Warns; what the caller's function throws is not the logger's. */
export function warn({ events }: Run, message: string): void {
  try {
    events.onWarning(message);
  } catch {
    // There is nobody left to tell.
  }
}

/** Warns once of a score that is a number as a text. */
export function warnOfText(run: Run, { scores }: Draft): void {
  if (run.warned.text) return;
  for (const [scorer, { value }] of scores) {
    const found = numberText([scorer], value);
    if (found === null) continue;
    run.warned.text = true;
    return warn(run, `${found}; texts have no mean. Return a number`);
  }
}

function numberText(path: readonly string[], value: Json | undefined): string | null {
  if (typeof value === "string")
    return value.trim() !== "" && Number.isFinite(Number(value))
      ? `${nameText(fieldText(path))} gave the text ${shown(value)}`
      : null;
  if (!isJsonObject(value)) return null;
  for (const [name, member] of Object.entries(value)) {
    const found = numberText([...path, name], member);
    if (found !== null) return found;
  }
  return null;
}

/** Notes that somebody heard of an error. */
export function tell({ refused, told }: Run, error: unknown): void {
  refused.delete(error);
  if (error instanceof Error) told.add(error);
}

/** Notes that trials are not stored, unless somebody heard of the error. */
export function noteRefused({ refused, told }: Run, error: unknown, trials: number): void {
  if (!(error instanceof Error && told.has(error))) refused.set(error, (refused.get(error) ?? 0) + trials);
}

export function refuseFinished({ isFinished, evaluation, context }: Run): void {
  refuseClosed(context);
  if (isFinished)
    throw new EvalcubeError(
      "finished",
      `evaluation ${JSON.stringify(evaluation.id)} is finished; start another one`,
    );
}

/** What the options say of an evaluation. Throws `invalid_value`. */
export function evaluationFrom(
  projectId: string,
  options: EvaluationOptions<never> & Partial<Pick<EvaluateOptions<never, never>, "scorers">>,
  conventions: Conventions,
): Evaluation {
  const { name, id = uuidv7(), model, dataset, attributes = {}, scorers = {} } = options;
  const { reference, others } = namedObject(projectId, "model", plainJson(model, "model").value);
  const set =
    dataset === undefined
      ? undefined
      : namedObject(projectId, "dataset", plainJson(dataset, "dataset").value).reference;
  return {
    id,
    projectId,
    name: name.toWellFormed(),
    self: set ?? name,
    dataset: set,
    model: reference,
    attributes: withMembers(withRun(objectOf(plainJson(attributes, "attributes").value)), {
      model: others,
      directions: { ...sidesOf(scorers), ...options.directions },
    }),
    scorers: scorerReferences(projectId, scorers),
    ...markers(conventions),
  };
}

/** What evaluations that belong together have as `attributes.run`: `EVALCUBE_RUN`, else a new name. */
export function runName(): string {
  return namedRun() ?? uuidv7();
}

function namedRun(): string | null {
  return process.env["EVALCUBE_RUN"]?.toWellFormed() || null;
}

function withRun(attributes: JsonObject): JsonObject {
  const run = namedRun();
  return run === null ? attributes : { run, ...attributes };
}

function objectOf(value: Json): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** What options say stands below what the caller gives in attributes of that name. */
function withMembers(attributes: JsonObject, members: Readonly<Record<string, JsonObject>>): JsonObject {
  const told = Object.entries(members)
    .filter(([, others]) => Object.keys(others).length > 0)
    .map(([name, others]) => [name, { ...others, ...objectOf(attributes[name] ?? null) }] as const);
  return { ...attributes, ...Object.fromEntries(told) };
}

/** Which way scorers say that their values are good. */
function sidesOf(scorers: EvaluateOptions<never, never>["scorers"]): Directions {
  const stated = Object.entries(scorers).flatMap(([name, one]) => {
    const better = typeof one === "function" ? undefined : one.better;
    const scorer = fieldText([name]);
    if (typeof better === "string") return [[scorer, better] as const];
    return Object.entries(better ?? {}).map(([below, side]) => [`${scorer}.${below}`, side] as const);
  });
  return Object.fromEntries(stated);
}

/** How trials and score calls are marked so that this database finds them. */
export function markers({
  predictAndScoreOps,
  attributeNamespaces,
}: Conventions): Pick<Evaluation, "trialOp" | "namespace"> {
  return {
    trialOp: usual("Evaluation.predict_and_score", predictAndScoreOps),
    namespace: usual("svc", attributeNamespaces),
  };
}

function usual(name: string, allowed: readonly string[]): string {
  return allowed.includes(name) ? name : (allowed[0] ?? name);
}

/** Forgets a trial: nothing of it is written. */
export function discardTrial(run: Run, draft: Draft): void {
  run.open.delete(draft);
}
