/** A feedback record as it is stored. */
export interface StoredFeedback {
  readonly project_id: string;
  readonly id: string;
  /** Microseconds since 1970 in UTC. */
  readonly createdAt: bigint;
  readonly svc_user_id: string;
  readonly svc_ref: string;
  readonly feedback_type: string;
  /** JSON text of all that the client sent, including the payload, without nulls and without the id. */
  readonly content: string;
}

/** Selects records, oldest first. Times are in microseconds; `since` is inclusive, `until` is exclusive. */
export interface FeedbackQuery {
  readonly svcRef: string | null;
  readonly feedbackType: string | null;
  readonly since: bigint | null;
  readonly until: bigint | null;
  /** Id of the record after which the page begins; null for the first page. */
  readonly after: string | null;
  readonly limit: number;
}

/** Selects records for which everything holds that is not null. */
interface FeedbackSelection {
  readonly ids: readonly string[] | null;
  readonly svcRef: string | null;
  readonly feedbackType: string | null;
}

/** Stores feedback. */
export interface FeedbackStore {
  /** Stores the record durably unless its project has one with this id; returns the stored one. */
  insert(record: StoredFeedback): Promise<StoredFeedback>;
  /**
   * Stores records in one transaction, but those whose project has one with their id already, earlier in the list too;
   * returns the stored ones in order. `check` is called with the place of such a record and the one that has its id;
   * where it throws, nothing is stored.
   */
  insertMany(
    records: readonly StoredFeedback[],
    check: (index: number, stored: StoredFeedback) => void,
  ): Promise<readonly StoredFeedback[]>;
  /**
   * Deletes the record with this id of the project and stores this one, in one transaction; returns what is stored under its own id: the
   * earlier one where that is the same, and a third one, upon which nothing is changed unless that is the same.
   */
  replace(
    id: string,
    record: StoredFeedback,
    isSame: (stored: StoredFeedback) => boolean,
  ): Promise<StoredFeedback>;
  /** Deletes the selected records of a project; returns how many. */
  purge(projectId: string, selection: FeedbackSelection): Promise<number>;
  get(projectId: string, id: string): Promise<StoredFeedback | undefined>;
  /** Ordered by time of creation, then id. */
  list(projectId: string, query: FeedbackQuery): Promise<readonly StoredFeedback[]>;
}
