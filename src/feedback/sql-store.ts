import type { Column, RecordSession, RecordStore, Session } from "../store/session.ts";
import { column, query, select, type Query } from "../store/query.ts";
import { createRecordGroup, writeRecords } from "../store/records.ts";
import { bigint, EMPTY, loaded, sql, text, type Sql } from "../store/sql.ts";

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

/** Selects a page of records by creation. Times are in microseconds; `since` is inclusive, `until` is exclusive. */
export interface FeedbackQuery {
  readonly svcRef: string | null;
  readonly feedbackType: string | null;
  readonly since: bigint | null;
  readonly until: bigint | null;
  /** The record after which the page begins; null for the first page. */
  readonly after: Pick<StoredFeedback, "createdAt" | "id"> | null;
  readonly newestFirst: boolean;
  readonly limit: number;
}

/** Selects records for which everything holds that is not null. */
interface FeedbackSelection {
  readonly ids: readonly string[] | null;
  readonly svcRef: string | null;
  readonly feedbackType: string | null;
}

export type FeedbackStore = ReturnType<typeof createSqlFeedbackStore>;

/** Keeps feedback in the table `feedback`. Records that wait at the same time are committed together. */
export function createSqlFeedbackStore(store: RecordStore) {
  const insert = createRecordGroup(store, (record: StoredFeedback) => record.content.length, insertAll);
  return {
    /** Stores the record durably unless its project has one with this id; returns the stored one. */
    insert: (record: StoredFeedback) => insert(record),
    /** Stores records in one transaction, but those whose project has one with their id already. */
    insertMany: (records: readonly StoredFeedback[], check: Check) =>
      writeRecords(store, (session) => insertAll(session, records, check)),
    /** Deletes the record with this id of the project and stores this one, in one transaction. */
    replace: (id: string, record: StoredFeedback, isSame: (stored: StoredFeedback) => boolean) =>
      writeRecords(store, (session) => replaceRecord(session, id, record, isSame)),
    /** Deletes the selected records of a project; returns how many. */
    purge: (projectId: string, selection: FeedbackSelection) =>
      writeRecords(store, async (session) => {
        const { ids, svcRef, feedbackType } = selection;
        if (ids !== null) session.load("purged", [{ name: "id", type: "VARCHAR", values: ids }]);
        const which = ids === null ? EMPTY : sql` AND id IN (SELECT id FROM ${loaded("purged")})`;
        return session.remove("feedback", projectId, sql`true${ofKind(svcRef, feedbackType)}${which}`);
      }),
    get: (projectId: string, id: string) => store.read((session) => find(session, projectId, id)),
    /** Ordered by time of creation, then id. */
    list: (projectId: string, asked: FeedbackQuery) =>
      store.read(async (session) => {
        const order = asked.newestFirst ? sql`created_at DESC, id DESC` : sql`created_at, id`;
        const where = sql` WHERE project_id = ${text(projectId)}${conditions(asked)}
          ORDER BY ${order} LIMIT ${bigint(asked.limit)}`;
        return session.all(feedback("feedback list", where));
      }),
  };
}

/**
 * Called with the place of a record and the one that has its id, earlier in the list too; where it throws, nothing is
 * stored.
 */
type Check = (index: number, stored: StoredFeedback) => void;

/**
 * Inserts the records whose ids their projects do not have; returns for each the one that is stored under its id.
 * `check` is called with the others before anything is stored.
 */
async function insertAll(
  session: RecordSession,
  records: readonly StoredFeedback[],
  check: Check = () => {},
): Promise<readonly StoredFeedback[]> {
  const known = new Map((await findAll(session, records)).map((record) => [identityOf(record), record]));
  const created: StoredFeedback[] = [];
  const stored = records.map((record, i) => {
    const identity = identityOf(record);
    const taken = known.get(identity);
    if (taken !== undefined) {
      check(i, taken);
      return taken;
    }
    known.set(identity, record);
    created.push(record);
    return record;
  });
  if (created.length > 0) await session.claim("feedback", columnsOf(created));
  return stored;
}

/**
 * Returns what is stored under the record's own id: the earlier one where that is the same, and a third one, upon which
 * nothing is changed unless that is the same.
 */
async function replaceRecord(
  session: RecordSession,
  id: string,
  record: StoredFeedback,
  isSame: (stored: StoredFeedback) => boolean,
): Promise<StoredFeedback> {
  const isOwn = record.id === id;
  const known = await find(session, record.project_id, record.id);
  const stays = known !== undefined && (isSame(known) || !isOwn);
  if (stays && (isOwn || !isSame(known))) return known;
  await session.erase("feedback", sql`project_id = ${text(record.project_id)} AND id = ${text(id)}`);
  if (stays) return known;
  await session.claim("feedback", columnsOf([record]));
  return record;
}

function identityOf({ project_id, id }: StoredFeedback): string {
  return JSON.stringify([project_id, id]);
}

/** A table of one record is dearer than values in the statement. */
async function findAll(
  session: Session,
  records: readonly StoredFeedback[],
): Promise<readonly StoredFeedback[]> {
  const [first] = records;
  if (first === undefined) return [];
  if (records.length === 1) {
    const found = await find(session, first.project_id, first.id);
    return found === undefined ? [] : [found];
  }
  session.load("wanted_feedback", [textColumn("project_id", records), textColumn("id", records)]);
  const where = sql` WHERE (project_id, id) IN (SELECT (project_id, id) FROM ${loaded("wanted_feedback")})`;
  return session.all(feedback("stored feedback", where));
}

function columnsOf(records: readonly StoredFeedback[]): Column[] {
  return [
    { name: "created_at", type: "BIGINT", values: records.map(({ createdAt }) => createdAt) },
    ...(["project_id", "id", "svc_user_id", "svc_ref", "feedback_type", "content"] as const).map((name) =>
      textColumn(name, records),
    ),
  ];
}

function textColumn(
  name: "project_id" | "id" | "svc_user_id" | "svc_ref" | "feedback_type" | "content",
  records: readonly StoredFeedback[],
): Column {
  return { name, type: "VARCHAR", values: records.map((record) => record[name]) };
}

const RECORD = {
  project_id: column.text(sql`project_id`),
  id: column.text(sql`id`),
  createdAt: column.bigint(sql`created_at`),
  svc_user_id: column.text(sql`svc_user_id`),
  svc_ref: column.text(sql`svc_ref`),
  feedback_type: column.text(sql`feedback_type`),
  content: column.text(sql`content`),
};

function feedback(name: string, where: Sql): Query<StoredFeedback> {
  return query(name, select<StoredFeedback>(RECORD, sql` FROM feedback${where}`));
}

async function find(session: Session, projectId: string, id: string): Promise<StoredFeedback | undefined> {
  const where = sql` WHERE project_id = ${text(projectId)} AND id = ${text(id)}`;
  const [found] = await session.all(feedback("feedback", where));
  return found;
}

function ofKind(svcRef: string | null, feedbackType: string | null): Sql {
  const ref = svcRef === null ? EMPTY : sql` AND svc_ref = ${text(svcRef)}`;
  return feedbackType === null ? ref : sql`${ref} AND feedback_type = ${text(feedbackType)}`;
}

function conditions({ svcRef, feedbackType, since, until, after, newestFirst }: FeedbackQuery): Sql {
  const beyond = newestFirst ? sql`<` : sql`>`;
  return [
    ofKind(svcRef, feedbackType),
    since === null ? EMPTY : sql` AND created_at >= ${bigint(since)}`,
    until === null ? EMPTY : sql` AND created_at < ${bigint(until)}`,
    after === null
      ? EMPTY
      : sql` AND (created_at, id) ${beyond} (${bigint(after.createdAt)}, ${text(after.id)})`,
  ].reduce((all, condition) => sql`${all}${condition}`);
}
