import { parseJson, writeJson } from "../model/json.ts";
import type { FileStore } from "../store/session.ts";
import { column, query, select, type Query } from "../store/query.ts";
import { bigint, EMPTY, sql, text, type Sql } from "../store/sql.ts";
import type { PageRange, TrainingStore } from "./store.ts";

/** Creates the two lists of training records: checkpoints ordered by (step, id), events by their number. */
export function createListTables(store: FileStore): CheckpointTable & EventTable {
  return { ...createCheckpointTable(store), ...createEventTable(store) };
}

type CheckpointTable = Pick<TrainingStore, "insertCheckpoint" | "hasCheckpoint" | "listCheckpoints">;
type EventTable = Pick<TrainingStore, "insertEvent" | "hasEvent" | "listEvents">;

function createCheckpointTable(store: FileStore): CheckpointTable {
  return {
    insertCheckpoint: (modelId, { id, step, metrics }) =>
      store.write((session) =>
        session.run(sql`INSERT INTO checkpoints
          VALUES (${text(modelId)}, ${text(id)}, ${bigint(step)}, ${text(writeJson(metrics))})`),
      ),
    hasCheckpoint: (modelId, id) =>
      exists(store, sql` FROM checkpoints WHERE model_id = ${text(modelId)} AND id = ${text(id)}`),
    async listCheckpoints(modelId, range) {
      const found = await store.read((session) => session.all(checkpointStretch(modelId, range)));
      return found.map((one) => ({ ...one, metrics: parseJson(one.metrics) as Record<string, number> }));
    },
  };
}

function createEventTable(store: FileStore): EventTable {
  return {
    insertEvent: (jobId, { id, type, data }) =>
      store.write((session) =>
        session.run(sql`INSERT INTO training_events SELECT ${text(jobId)}, ${text(id)},
          coalesce(max(number), 0) + 1, ${text(type)}, ${text(writeJson(data))}
          FROM training_events WHERE job_id = ${text(jobId)}`),
      ),
    hasEvent: (jobId, id) =>
      exists(store, sql` FROM training_events WHERE job_id = ${text(jobId)} AND id = ${text(id)}`),
    async listEvents(jobId, range) {
      const found = await store.read((session) => session.all(eventStretch(jobId, range)));
      return found.map((one) => ({ ...one, data: JSON.parse(one.data) as Record<string, unknown> }));
    },
  };
}

async function exists(store: FileStore, from: Sql): Promise<boolean> {
  const any = query("existence", select({ one: column.integer(sql`1`) }, from));
  return (await store.read((session) => session.all(any))).length > 0;
}

interface StoredCheckpoint {
  readonly id: string;
  readonly step: number;
  /** JSON text. */
  readonly metrics: string;
}

function checkpointStretch(modelId: string, { after, limit, order }: PageRange): Query<StoredCheckpoint> {
  const cursor = sql`(SELECT step FROM checkpoints WHERE model_id = ${text(modelId)} AND id = ${text(after)})`;
  const beyond =
    order === "asc"
      ? sql` AND (step > ${cursor} OR (step = ${cursor} AND id > ${text(after)}))`
      : sql` AND (step < ${cursor} OR (step = ${cursor} AND id < ${text(after)}))`;
  const direction = order === "asc" ? sql`ORDER BY step, id` : sql`ORDER BY step DESC, id DESC`;
  const checkpoints = select(
    { id: column.text(sql`id`), step: column.integer(sql`step`), metrics: column.text(sql`metrics`) },
    sql` FROM checkpoints
    WHERE model_id = ${text(modelId)}${after === null ? EMPTY : beyond} ${direction} LIMIT ${bigint(limit)}`,
  );
  return query("checkpoints", checkpoints);
}

interface StoredEvent {
  readonly id: string;
  readonly type: string;
  /** JSON text. */
  readonly data: string;
}

function eventStretch(jobId: string, { after, limit }: PageRange): Query<StoredEvent> {
  const beyond = sql` AND number > (SELECT number FROM training_events
    WHERE job_id = ${text(jobId)} AND id = ${text(after)})`;
  const events = select(
    { id: column.text(sql`id`), type: column.text(sql`type`), data: column.text(sql`data`) },
    sql` FROM training_events
    WHERE job_id = ${text(jobId)}${after === null ? EMPTY : beyond} ORDER BY number LIMIT ${bigint(limit)}`,
  );
  return query("events", events);
}
