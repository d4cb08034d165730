import { z } from "zod";
import { EvalcubeError } from "../errors.ts";
import { checkArgument, functionOf } from "../model/arguments.ts";
import { USER_PATTERN, USER_RULE } from "../model/user-name.ts";
import type { JobHook } from "../training/jobs.ts";
import type { ClickHouseOptions } from "../clickhouse/server/options.ts";
import type { StoreWarning } from "../store/warning.ts";

/** Options for opening a database. */
export interface EngineOptions {
  /** A database file of evalcube, created when there is none, or `:memory:` (default). */
  readonly path?: string | undefined;
  /** A database on a server or cluster of ClickHouse, instead of `path`. */
  readonly clickhouse?: ClickHouseOptions | undefined;
  /** The address of a service, instead of `path`: `https://host/base`. It is asked over HTTP. */
  readonly url?: string | undefined;
  /** The key that a service is asked with. */
  readonly key?: string | undefined;
  /**
   * Opens a file for reading only: several processes may then read it at once, and nothing can be stored. Default
   * false.
   */
  readonly readOnly?: boolean | undefined;
  /**
   * Worker threads of DuckDB. Default: one per core. Where there are two or more, and two cores, NDJSON files of 8 MiB
   * and more are loaded in a thread of their own, which ends soon after.
   */
  readonly threads?: number | undefined;
  /**
   * DuckDB's memory limit, for example `4GiB`. Default: `1GiB` for a file, beyond which DuckDB spills to disk; 80 % of
   * the machine's memory for `:memory:`, which must hold the data.
   */
  readonly memoryLimit?: string | undefined;
  /**
   * Op names of predict-and-score calls; default `Evaluation.predict_and_score` and `Evaluation.predictAndScore`. Fixed
   * when the database is created.
   */
  readonly predictAndScoreOps?: readonly string[] | undefined;
  /**
   * Members of a call's `attributes` that mark score calls; default `svc` and `weave`. Fixed when the database is
   * created.
   */
  readonly attributeNamespaces?: readonly string[] | undefined;
  /**
   * Whether answers of up to 512 Ki characters, trials of pages, and comparisons are kept until the next write; default
   * true.
   */
  readonly keepAnswers?: boolean | undefined;
  /**
   * Who stores evaluations and hides them, where their records name nobody: 1 to 128 characters without colon. Default:
   * what the variable EVALCUBE_USER names, if anything; null: nobody.
   */
  readonly user?: string | null | undefined;
  /**
   * Called about a problem: a power cut left the last transaction incomplete and it was left out (`log_cut`), the log
   * could not be written into the database and stays beside it (`checkpoint_failed`), the file was deleted or moved and
   * nothing more is stored (`file_lost`), no thread can be started to load files, which are then loaded on the main
   * thread (`no_load_thread`), or another program has written into the file (`changed_elsewhere`).
   */
  readonly onWarning?: ((warning: StoreWarning) => void) | undefined;
  /** Hands a stored training job to the trainer. If it fails, the job gets the event `training_failed`. */
  readonly onJob?: JobHook | undefined;
  /** Called when the counts of completions could not be written; these counts are lost. */
  readonly onUsageError?: ((error: unknown) => void) | undefined;
}

const names = z.array(z.string()).optional();

const clickHouseOptions = z.strictObject({
  url: z.string(),
  database: z.string(),
  cluster: z.string().optional(),
  username: z.string().optional(),
  password: z.string().optional(),
  accessToken: z.string().optional(),
  ca: z.union([z.string(), z.instanceof(Uint8Array)]).optional(),
  requestTimeoutMs: z.number().optional(),
  maxConnections: z.number().optional(),
  settings: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
});

const engineOptions = z.strictObject({
  path: z.string().optional(),
  clickhouse: clickHouseOptions.optional(),
  url: z.string().optional(),
  key: z.string().optional(),
  readOnly: z.boolean().optional(),
  threads: z.number().optional(),
  memoryLimit: z.string().optional(),
  predictAndScoreOps: names,
  attributeNamespaces: names,
  keepAnswers: z.boolean().optional(),
  user: z.string().regex(USER_PATTERN, USER_RULE).nullish(),
  onWarning: functionOf<(warning: StoreWarning) => void>().optional(),
  onJob: functionOf<JobHook>().optional(),
  onUsageError: functionOf<(error: unknown) => void>().optional(),
});

/** Checks names and types only; the values are checked where they are used. */
export function checkEngineOptions(options: unknown): void {
  if (typeof options !== "object" || options === null) {
    throw new EvalcubeError("invalid_option", 'options must be an object such as { path: "evals.duckdb" }');
  }
  checkArgument(options, engineOptions);
}
