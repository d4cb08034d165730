import type { Session, Store } from "../store/session.ts";
import { column, query, select, type Query } from "../store/query.ts";
import { bigint, EMPTY, sql, text, type Sql } from "../store/sql.ts";
import type { FeedbackQuery, FeedbackStore, StoredFeedback } from "./store.ts";

/** Keeps feedback in the table `feedback`. */
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
    list: (projectId, asked) =>
      store.read(async (session) => {
        const where = sql` WHERE project_id = ${text(projectId)}${conditions(projectId, asked)}
          ORDER BY created_at, id LIMIT ${bigint(asked.limit)}`;
        return session.all(feedback("feedback list", where));
      }),
  };
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

function conditions(projectId: string, asked: FeedbackQuery): Sql {
  const { svcRef, feedbackType, since, until, after } = asked;
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
