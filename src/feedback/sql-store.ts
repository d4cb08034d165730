import type { Session, Store } from "../store/session.ts";
import { bigint, EMPTY, sql, text, type Sql, type SqlValue } from "../store/sql.ts";
import type { FeedbackQuery, FeedbackStore, StoredFeedback } from "./store.ts";

/** Feedback in the table `feedback`. */
export function createSqlFeedbackStore(store: Store): FeedbackStore {
  return {
    insert: (record) =>
      store.write(async (session) => {
        const existing = await find(session, record.project_id, record.id);
        if (existing !== undefined) return existing;
        await session.run(sql`INSERT INTO feedback VALUES (${text(record.project_id)}, ${text(record.id)},
          ${bigint(record.createdAt)}, ${text(record.svc_user_id)}, ${text(record.svc_ref)},
          ${text(record.feedback_type)}, ${text(record.content)})`);
        return record;
      }),
    get: (projectId, id) => store.read((session) => find(session, projectId, id)),
    list: (projectId, query) =>
      store.read(async (session) => {
        const rows =
          await session.rows(sql`${SELECT} WHERE project_id = ${text(projectId)}${conditions(projectId, query)}
          ORDER BY created_at, id LIMIT ${bigint(query.limit)}`);
        return rows.map(toRecord);
      }),
  };
}

const SELECT = sql`SELECT project_id, id, created_at, svc_user_id, svc_ref, feedback_type, content FROM feedback`;

async function find(session: Session, projectId: string, id: string): Promise<StoredFeedback | undefined> {
  const rows = await session.rows(sql`${SELECT} WHERE project_id = ${text(projectId)} AND id = ${text(id)}`);
  return rows[0] === undefined ? undefined : toRecord(rows[0]);
}

function conditions(projectId: string, query: FeedbackQuery): Sql {
  const { svcRef, feedbackType, since, until, after } = query;
  return [
    svcRef === null ? EMPTY : sql` AND svc_ref = ${text(svcRef)}`,
    feedbackType === null ? EMPTY : sql` AND feedback_type = ${text(feedbackType)}`,
    since === null ? EMPTY : sql` AND created_at >= ${bigint(since)}`,
    until === null ? EMPTY : sql` AND created_at < ${bigint(until)}`,
    after === null
      ? EMPTY
      : sql` AND (created_at, id) > (SELECT (created_at, id) FROM feedback
          WHERE project_id = ${text(projectId)} AND id = ${text(after)})`,
  ].reduce((all, condition) => sql`${all}${condition}`);
}

function toRecord(row: readonly SqlValue[]): StoredFeedback {
  const [projectId, id, createdAt, userId, svcRef, feedbackType, content] = row;
  return {
    project_id: String(projectId),
    id: String(id),
    createdAt: BigInt(createdAt ?? 0),
    svc_user_id: String(userId),
    svc_ref: String(svcRef),
    feedback_type: String(feedbackType),
    content: String(content),
  };
}
