import type { CallRecord } from "../ingest/record/sent-records.ts";
import type { Directions } from "../model/direction.ts";
import type { Json, JsonObject } from "../model/json.ts";
import type { RowKey } from "./row-keys.ts";
import type { StepLog, ToldSteps } from "./step-api.ts";
import type { Scorer, ScoreValue } from "./scorer.ts";
import type { CountName } from "./usage.ts";

/** Counts of tokens, under the names that SDKs give them; a name that has no number counts as left out. */
export type TokenCounts = { readonly [Name in CountName]?: number | null | undefined };

/**
 * Counts of tokens by model, such as `{ "gpt-x": reply.usage }`, as SDKs give them; other members are kept. Counts by
 * themselves are those of the evaluation's model, and in the details of a score those of a model that is named as the
 * scorer. What answers sum is `total_tokens`, else input and output.
 */
export type Usage =
  | TokenCounts
  | {
      readonly [model: string]:
        | TokenCounts
        | (TokenCounts & { readonly [name: string]: Json | undefined })
        | null
        | undefined;
    }
  | null
  | undefined;

/** A dataset by name. */
export type DatasetOption = {
  /** Its name: no `/`, no `:`; or a whole reference. */
  readonly name: string;
  /** Default `latest`. */
  readonly version?: string | undefined;
};

/**
 * A model by name, with whatever else is worth keeping of it, such as temperature or prompt: that goes to
 * `attributes.model` of the root.
 */
export type ModelOption = DatasetOption & { readonly [member: string]: Json | undefined };

/** What is said of an evaluation when it starts. */
export interface EvaluationOptions<Row = JsonObject> {
  /** What people call it; need not be unique. */
  readonly name: string;
  /** Its id; default: a new UUIDv7. An id that has trials is refused with `conflict` unless `resume` is true. */
  readonly id?: string | undefined;
  /** `name`, `name:version`, a reference, or an object. */
  readonly model: string | ModelOption;
  /** `name`, `name:version`, a reference, or an object; stored as the reference `inputs.dataset` of the root call. */
  readonly dataset?: string | DatasetOption | undefined;
  /**
   * A row is known by its key alone. What is no key, and a key of two rows that differ, is refused with
   * `invalid_value`.
   */
  readonly rowKey?: RowKey<Row> | undefined;
  /**
   * Attributes of the root call: commit, branch, prompt, seed, tags. Default of `run`: `EVALCUBE_RUN`, if that is set.
   */
  readonly attributes?: JsonObject | undefined;
  /**
   * Which way scores are good, by dimension as requests name it (`length`, `style.length`), or by scorer for all its
   * dimensions. Default: true and false are better true; of numbers nobody knows. Stored as `attributes.directions` of
   * the root call.
   */
  readonly directions?: Directions | undefined;
  /**
   * Goes on with the evaluation of this `id`: trials that are stored without error stay. `evaluate` asks a scorer that
   * failed in one of these again, with the output that is stored. Default false.
   */
  readonly resume?: boolean | undefined;
  /** Hears of what nobody waits for: a write that failed, more than 64 MiB that wait to be written. */
  readonly onWarning?: ((message: string) => void) | undefined;
}

/** A trial in one piece, for outputs that are there already. */
export interface LoggedExample<Row = JsonObject, Output = Json> {
  /** The dataset row. */
  readonly row: Row;
  /** What the model answered; ignored where there is an error. */
  readonly output: Output;
  /** Scores by scorer. A score that is refused is stored as an error of its scorer, and the promise rejects. */
  readonly scores?: { readonly [scorer: string]: ScoreValue } | undefined;
  /** Tokens of the model. */
  readonly usage?: Usage;
  /** When the model was asked; default: now. */
  readonly startedAt?: Date | undefined;
  /** When it had answered; default: now. */
  readonly endedAt?: Date | undefined;
  /** The error instead of an output. */
  readonly error?: unknown;
  /** Number of the trial among those of its row, from 0; default: the next. */
  readonly trial?: number | undefined;
  /** Why scorers gave their scores, by scorer. */
  readonly reasons?: { readonly [scorer: string]: string } | undefined;
  /** When the model had answered, where that is not the end of the trial. */
  readonly answeredAt?: Date | undefined;
  /** Calls that the model made: members of their records; ids and parents are added. */
  readonly calls?: readonly LoggedCall[] | undefined;
  /** What the agent did, as `steps` of a prediction takes it. */
  readonly steps?: ToldSteps | undefined;
  /** Why the agent stopped. */
  readonly stopReason?: string | undefined;
}

/** A call that a model made. */
export type LoggedCall = Pick<
  CallRecord,
  "op_name" | "started_at" | "ended_at" | "inputs" | "output" | "exception" | "attributes" | "summary"
>;

/** What `finish` may add. */
export interface FinishOptions {
  /** Ends the evaluation in an error. */
  readonly error?: unknown;
  /** Members of the root's output beside `trials` and `errors`. */
  readonly summary?: JsonObject | undefined;
}

/**
 * Logs the trials of one evaluation. What a promise of it resolves to is durable; nobody has to wait, since the next
 * `flush` or `finish` rejects with what went wrong meanwhile. All methods may be called from any number of concurrent
 * tasks.
 *
 * Errors have the codes `invalid_value` (with the path of the value), `already_logged`, `finished`, `conflict`, and
 * those of `StoreError`.
 */
export interface EvaluationLogger<Row = JsonObject, Output = Json> extends AsyncDisposable {
  /** Id of the evaluation, known at once. */
  readonly id: string;
  /** `entity/project`. */
  readonly projectId: string;
  /**
   * Begins a trial; the clock of the model starts. The row is read now: changing it afterwards changes nothing. Throws
   * `finished`, `invalid_value`, and `already_logged` where the row has a trial of this number.
   */
  readonly startPrediction: (
    row: Row,
    options?: { readonly trial?: number | undefined },
  ) => Prediction<Output>;
  /** Logs a whole trial; resolves when it is durable. */
  readonly logExample: (example: LoggedExample<Row, Output>) => Promise<void>;
  /**
   * Resolves when all that was logged so far is durable, predictions under way included as they stand. Writes again
   * what could not be written before.
   */
  readonly flush: () => Promise<void>;
  /**
   * Ends the evaluation, when all of it is durable. Predictions that were neither finished nor failed are failed.
   * Calling it again gives the same result; where it rejected, it tries again.
   */
  readonly finish: (options?: FinishOptions) => Promise<EvaluationRun>;
}

/** Details of an output. */
export interface OutputDetails {
  /** Tokens of the model. */
  readonly usage?: Usage;
}

/** Details of a score. */
export interface ScoreDetails {
  /** Tokens of the scorer. */
  readonly usage?: Usage;
  /** When the scorer began; default: now. */
  readonly startedAt?: Date | undefined;
  /** Why the scorer gave it. */
  readonly reason?: string | undefined;
}

/** A trial under way. Each thing is logged once; a second time throws or rejects with `already_logged`. */
export interface Prediction<Output = Json> extends StepLog {
  /** Id of the predict-and-score call. */
  readonly id: string;
  /** Reference to that call, for `feedback.create`. */
  readonly ref: string;
  /** Number of the trial among those of its row, from 0. */
  readonly trial: number;
  /** Logs what the model answered, and ends its clock. */
  readonly output: (value: Output, details?: OutputDetails) => void;
  /** Logs a score. Throws `invalid_value` on one that cannot be stored; the trial goes on. */
  readonly logScore: (scorer: string, value: ScoreValue, details?: ScoreDetails) => void;
  /** Logs that a scorer failed: the score is missing, the others stay. */
  readonly failScore: (scorer: string, error: unknown) => void;
  /** Ends the trial; resolves when it is durable. */
  readonly finish: () => Promise<void>;
  /** Ends the trial in an error, without output and scores; resolves when that is durable. */
  readonly fail: (error: unknown) => Promise<void>;
}

/** What became of an evaluation. */
export interface EvaluationRun {
  /** Id of the evaluation. */
  readonly id: string;
  /** `entity/project`. */
  readonly project_id: string;
  /** Its display name. */
  readonly name: string;
  /** Trials that are stored, those of earlier runs included. */
  readonly trials: number;
  /** Trials in error among them. */
  readonly errors: number;
  /** Scores of this run that their scorers failed to give. */
  readonly scorer_errors: number;
  /** Trials that this run left alone, since they were stored without error. */
  readonly skipped: number;
  /** `failed`: ended in an error; `cancelled`: ended by its signal. */
  readonly status: "finished" | "failed" | "cancelled";
}

/** What a task learns of its trial. */
export interface TaskContext extends StepLog {
  /** Aborts when the task has run too long, and when the evaluation ends early. */
  readonly signal: AbortSignal;
  /** Number of the trial among those of its row, from 0. */
  readonly trial: number;
  /** Id of the predict-and-score call. */
  readonly predictionId: string;
  /** Tells the tokens of the model; of two calls the later counts. */
  readonly usage: (usage: Usage) => void;
}

/** How far an evaluation has come. */
export interface EvaluationProgress {
  /** Trials of this run that are durable. */
  readonly done: number;
  /** Trials that this run was to make, those left alone included; null where it is not known beforehand. */
  readonly total: number | null;
  /** Trials of this run in error. */
  readonly errors: number;
}

/** An evaluation that evalcube runs. */
export interface EvaluateOptions<Row, Output> extends EvaluationOptions<Row> {
  /** The dataset rows: a list, an iterable, or a function that makes one. Read one row ahead. */
  readonly data: Iterable<Row> | AsyncIterable<Row> | (() => Iterable<Row> | AsyncIterable<Row>);
  /** Asks the model. What it throws is a trial in error. */
  readonly task: (row: Row, context: TaskContext) => Output | Promise<Output>;
  /** Scorers by name; those of one trial run at once. What one throws is missing, the other scores stay. */
  readonly scorers: { readonly [scorer: string]: Scorer<Row, Output> };
  /** Trials a row; default 1. */
  readonly trials?: number | ((row: Row) => number) | undefined;
  /** Trials at a time; default 10. */
  readonly maxConcurrency?: number | undefined;
  /**
   * How often a task or a scorer that throws is called again, 0 to 10: after 0.5 s, then twice as long each time, 30 s
   * at most. A task that was called more than once is counted in `attributes.attempts` of its trial. Default 0.
   */
  readonly retries?: number | undefined;
  /** Milliseconds that a call of a task may take, and of a scorer; default: no limit. */
  readonly timeoutMs?: number | undefined;
  /** Ends the evaluation at so many trials in error: below 1 a share of all trials, else a count. Default: never. */
  readonly failOnError?: number | undefined;
  /** Ends the evaluation early; what was finished stays. */
  readonly signal?: AbortSignal | undefined;
  /** Called when trials have become durable. */
  readonly onProgress?: ((progress: EvaluationProgress) => void) | undefined;
}

/** The members of an engine that log evaluations. */
export interface Logging {
  /**
   * Starts an evaluation whose loop is the caller's. Throws `RequestError` on options of a wrong type, and
   * `invalid_value` on names that a reference cannot have.
   */
  readonly startEvaluation: <Row = JsonObject, Output = Json>(
    projectId: string,
    options: EvaluationOptions<Row>,
  ) => EvaluationLogger<Row, Output>;

  /**
   * Runs a task over the rows of a dataset, scores what it returns, and logs all of it; resolves when everything is
   * durable. Rejects with the reason of the signal, with `EvaluationFailed` at `failOnError`, with what `data` throws,
   * and as `startEvaluation` throws; each of these that is an object has `run`, an `EvaluationRun`.
   */
  readonly evaluate: <Row, Output>(
    projectId: string,
    options: EvaluateOptions<Row, Output>,
  ) => Promise<EvaluationRun>;

  /**
   * Adds a score to a stored trial; resolves when it is durable. Rejects with `conflict` where the trial has the score,
   * with `not_found` where there is no such trial, and with `invalid_value`.
   */
  readonly logScore: (
    projectId: string,
    predictionId: string,
    scorer: string,
    value: ScoreValue,
    details?: ScoreDetails,
  ) => Promise<void>;
}
