/**
 * A call as a source gives it: what a tracing tool records of one run of an op. Records of one `id` merge, in any
 * order: the start of a call, its end and a deletion may come apart. Members with other names are kept and counted.
 */
export interface CallRecord {
  /** The call, unique in its project; not empty. */
  readonly id: string;
  /** Its project, `entity/project`. */
  readonly project_id: string;
  /**
   * The op that ran: `Evaluation.evaluate`, `Evaluation.predict_and_score` or another name, or a reference such as
   * `svc:///acme/qa/op/model.predict:v1`. Comes with `started_at`.
   */
  readonly op_name?: string | null | undefined;
  /**
   * When the call began: ISO 8601 with offset, such as `2026-01-31T12:00:00.000000Z`, or a whole number of seconds,
   * milliseconds or microseconds since 1970, told apart by its size. Comes with `op_name`.
   */
  readonly started_at?: string | number | Date | null | undefined;
  /** When it ended, written as `started_at`; left out while it runs. */
  readonly ended_at?: string | number | Date | null | undefined;
  /** When it was deleted, written as `started_at`: the call and its descendants are hidden from then on. */
  readonly deleted_at?: string | number | Date | null | undefined;
  /** The trace that the call belongs to. */
  readonly trace_id?: string | null | undefined;
  /** Id of the call that it runs below; left out for a root call. */
  readonly parent_id?: string | null | undefined;
  /** Human-readable name. */
  readonly display_name?: string | null | undefined;
  /** Text of the exception that ended the call; left out where there was none. */
  readonly exception?: string | null | undefined;
  /** Remarks of the tracing tool, as a JSON object; they mark score calls. */
  readonly attributes?: object | null | undefined;
  /** Arguments, as a JSON object. Of a trial, `example` is the dataset row or a reference to it. */
  readonly inputs?: object | null | undefined;
  /** Result, any JSON value. Of a trial, `output` is the model's answer and `scores` has an entry for each scorer. */
  readonly output?: unknown;
  /** Totals, as a JSON object: `usage` has for each model its `total_tokens` and what else was counted. */
  readonly summary?: object | null | undefined;
}

/** A dataset row as a source gives it. Of two rows with one digest the later wins. */
export interface DatasetRowRecord {
  /** Its project, `entity/project`. */
  readonly project_id: string;
  /** The name by which trials refer to it. Default: the SHA-256 of `val` in canonical JSON, as base64url. */
  readonly digest?: string | null | undefined;
  /** The row, any JSON value; null is one. */
  readonly val: unknown;
}
