/** A feedback record as it is kept. */
export interface StoredFeedback {
  readonly project_id: string;
  readonly id: string;
  /** Microseconds since 1970 in UTC. */
  readonly createdAt: bigint;
  readonly svc_user_id: string;
  readonly svc_ref: string;
  readonly feedback_type: string;
  /** JSON text: everything the client said, payload included, without nulls and without id. */
  readonly content: string;
}

/** Which records, oldest first. Times are microseconds; `since` is included, `until` is not. */
export interface FeedbackQuery {
  readonly svcRef: string | null;
  readonly feedbackType: string | null;
  readonly since: bigint | null;
  readonly until: bigint | null;
  /** Id of the record after which the page begins. */
  readonly after: string | null;
  readonly limit: number;
}

/** Where feedback is kept. */
export interface FeedbackStore {
  /** Stores the record unless its project has one with this id, and gives back the stored one. Durable. */
  insert(record: StoredFeedback): Promise<StoredFeedback>;
  get(projectId: string, id: string): Promise<StoredFeedback | undefined>;
  /** Ordered by time of creation, then id. */
  list(projectId: string, query: FeedbackQuery): Promise<readonly StoredFeedback[]>;
}
