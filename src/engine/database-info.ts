/** Options of `info`. */
export interface InfoOptions {
  /** Tells of these projects alone; default all. */
  readonly projects?: readonly string[] | undefined;
  /** Ends the work. */
  readonly signal?: AbortSignal | undefined;
}

/** An evaluation by its start. */
export interface DatedEvaluation {
  /** Id of its root call. */
  readonly id: string;
  /** ISO 8601 in UTC. */
  readonly started_at: string;
}

/** How large a database is, and how old what it has. */
export interface DatabaseInfo {
  /** The path as it was given; of a server its address and the database. */
  readonly database: string;
  /** Version of the file format, or of the tables of a server. */
  readonly format: number;
  /** Bytes on the disk: of the file, or of all tables of a server. With `projects`, what these have of all. */
  readonly bytes: number;
  /** Bytes of the log beside the file, which is written into it later; 0 with `projects`. */
  readonly log_bytes: number;
  /** When something was stored last, in UTC to the second; null where that is not known. */
  readonly last_write_at: string | null;
  /** Calls that are not deleted; on a server all. */
  readonly calls: number;
  /** Trials of the evaluations that lists have. */
  readonly trials: number;
  /** The evaluation that began first; null without any that has a start. */
  readonly oldest: DatedEvaluation | null;
  /** The evaluation that began last. */
  readonly newest: DatedEvaluation | null;
  /** By name. `bytes` is what the project takes of `bytes` and `log_bytes`, which these are all of. */
  readonly projects: readonly {
    readonly project_id: string;
    readonly evaluation_count: number;
    readonly trial_count: number;
    readonly call_count: number;
    readonly bytes: number;
  }[];
  /** The ten evaluations that take most, the largest first. */
  readonly largest: readonly {
    readonly id: string;
    readonly project_id: string;
    readonly display_name: string | null;
    readonly trials: number;
    readonly bytes: number;
  }[];
}
