import { parseJson, writeJson } from "../model/json.ts";
import type { Store } from "../store/session.ts";
import { bigint, EMPTY, sql, text, type Sql } from "../store/sql.ts";
import type { Stretch, TrainingStore } from "./store.ts";

/** The two lists of training records: checkpoints by (step, id), events by their number. */
export function createListTables(store: Store): CheckpointTable & EventTable {
  return { ...createCheckpointTable(store), ...createEventTable(store) };
}

type CheckpointTable = Pick<TrainingStore, "insertCheckpoint" | "hasCheckpoint" | "listCheckpoints">;
type EventTable = Pick<TrainingStore, "insertEvent" | "hasEvent" | "listEvents">;

function createCheckpointTable(store: Store): CheckpointTable {
  return {
    insertCheckpoint: (modelId, { id, step, metrics }) =>
      store.write((session) =>
        session.run(sql`INSERT INTO checkpoints
          VALUES (${text(modelId)}, ${text(id)}, ${bigint(step)}, ${text(writeJson(metrics))})`),
      ),
    hasCheckpoint: (modelId, id) =>
      exists(store, sql`SELECT 1 FROM checkpoints WHERE model_id = ${text(modelId)} AND id = ${text(id)}`),
    async listCheckpoints(modelId, stretch) {
      const rows = await store.read((session) => session.rows(checkpointStretch(modelId, stretch)));
      return rows.map(([id, step, metrics]) => ({
        id: String(id),
        step: Number(step),
        metrics: parseJson(String(metrics)) as Record<string, number>,
      }));
    },
  };
}

function createEventTable(store: Store): EventTable {
  return {
    insertEvent: (jobId, { id, type, data }) =>
      store.write((session) =>
        session.run(sql`INSERT INTO training_events SELECT ${text(jobId)}, ${text(id)},
          coalesce(max(number), 0) + 1, ${text(type)}, ${text(writeJson(data))}
          FROM training_events WHERE job_id = ${text(jobId)}`),
      ),
    hasEvent: (jobId, id) =>
      exists(store, sql`SELECT 1 FROM training_events WHERE job_id = ${text(jobId)} AND id = ${text(id)}`),
    async listEvents(jobId, stretch) {
      const rows = await store.read((session) => session.rows(eventStretch(jobId, stretch)));
      return rows.map(([id, type, data]) => ({
        id: String(id),
        type: String(type),
        data: JSON.parse(String(data)) as Record<string, unknown>,
      }));
    },
  };
}

async function exists(store: Store, query: Sql): Promise<boolean> {
  return (await store.read((session) => session.rows(query))).length > 0;
}

function checkpointStretch(modelId: string, { after, limit, order }: Stretch): Sql {
  const cursor = sql`(SELECT step FROM checkpoints WHERE model_id = ${text(modelId)} AND id = ${text(after)})`;
  const beyond =
    order === "asc"
      ? sql` AND (step > ${cursor} OR (step = ${cursor} AND id > ${text(after)}))`
      : sql` AND (step < ${cursor} OR (step = ${cursor} AND id < ${text(after)}))`;
  const direction = order === "asc" ? sql`ORDER BY step, id` : sql`ORDER BY step DESC, id DESC`;
  return sql`SELECT id, step, metrics FROM checkpoints
    WHERE model_id = ${text(modelId)}${after === null ? EMPTY : beyond} ${direction} LIMIT ${bigint(limit)}`;
}

function eventStretch(jobId: string, { after, limit }: Stretch): Sql {
  const beyond = sql` AND number > (SELECT number FROM training_events
    WHERE job_id = ${text(jobId)} AND id = ${text(after)})`;
  return sql`SELECT id, type, data FROM training_events
    WHERE job_id = ${text(jobId)}${after === null ? EMPTY : beyond} ORDER BY number LIMIT ${bigint(limit)}`;
}
