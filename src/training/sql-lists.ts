import { parseJson, writeJson } from "../model/json.ts";
import { textColumns, writeRecords } from "../store/records.ts";
import type { RecordStore } from "../store/session.ts";
import { column, query, select, type Query } from "../store/query.ts";
import { bigint, EMPTY, sql, text, type Sql } from "../store/sql.ts";
import type { PageRange, TrainingStore } from "./store.ts";

/** Creates the two lists of training records: checkpoints ordered by (step, id), events by their number. */
export function createListTables(store: RecordStore): CheckpointTable & EventTable {
  return { ...createCheckpointTable(store), ...createEventTable(store) };
}

type CheckpointTable = Pick<TrainingStore, "insertCheckpoint" | "hasCheckpoint" | "listCheckpoints">;
type EventTable = Pick<TrainingStore, "insertEvent" | "hasEvent" | "listEvents">;

function createCheckpointTable(store: RecordStore): CheckpointTable {
  return {
    insertCheckpoint: (modelId, { id, step, metrics }) =>
      writeRecords(store, (session) =>
        session.add("checkpoints", [
          ...textColumns({ model_id: modelId, id, metrics: writeJson(metrics) }),
          { name: "step", type: "BIGINT", values: [BigInt(step)] },
        ]),
      ),
    hasCheckpoint: (modelId, id) =>
      exists(store, sql` FROM checkpoints WHERE model_id = ${text(modelId)} AND id = ${text(id)}`),
    async listCheckpoints(modelId, range) {
      const found = await store.read((session) => session.all(checkpointStretch(modelId, range)));
      return found.map((one) => ({ ...one, metrics: parseJson(one.metrics) as Record<string, number> }));
    },
  };
}

function createEventTable(store: RecordStore): EventTable {
  return {
    insertEvent: (jobId, { id, type, data }) =>
      writeRecords(store, (session) =>
        session.add("training_events", textColumns({ job_id: jobId, id, type, data: writeJson(data) })),
      ),
    hasEvent: (jobId, id) =>
      exists(store, sql` FROM training_events WHERE job_id = ${text(jobId)} AND id = ${text(id)}`),
    async listEvents(jobId, range) {
      const found = await store.read((session) => session.all(eventStretch(jobId, range)));
      return found.map((one) => ({ ...one, data: JSON.parse(one.data) as Record<string, unknown> }));
    },
  };
}

async function exists(store: RecordStore, from: Sql): Promise<boolean> {
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
