import { parseJson, writeJson } from "../model/json.ts";
import { textColumns, writeRecords } from "../store/records.ts";
import type { RecordStore } from "../store/session.ts";
import { column, query, select } from "../store/query.ts";
import { bigint, EMPTY, sql, text, type Sql } from "../store/sql.ts";
import type { PageRange, StoredCheckpoint, StoredEvent } from "./stored.ts";

/** Creates the two lists of training records: checkpoints ordered by (step, id), events by their number. */
export function createListTables(store: RecordStore) {
  return {
    insertCheckpoint: (modelId: string, { id, step, metrics }: StoredCheckpoint) =>
      writeRecords(store, (session) =>
        session.add("checkpoints", [
          ...textColumns({ model_id: modelId, id, metrics: writeJson(metrics) }),
          { name: "step", type: "BIGINT", values: [BigInt(step)] },
        ]),
      ),
    hasCheckpoint: (modelId: string, id: string) =>
      exists(store, sql` FROM checkpoints WHERE model_id = ${text(modelId)} AND id = ${text(id)}`),
    /** Ordered by step, then id; `desc` reverses both. */
    async listCheckpoints(modelId: string, range: PageRange): Promise<readonly StoredCheckpoint[]> {
      const found = await store.read((session) => session.all(checkpointStretch(modelId, range)));
      return found.map((one) => ({ ...one, metrics: parseJson(one.metrics) as Record<string, number> }));
    },
    insertEvent: (jobId: string, { id, type, data }: StoredEvent) =>
      writeRecords(store, (session) =>
        session.add("training_events", textColumns({ job_id: jobId, id, type, data: writeJson(data) })),
      ),
    hasEvent: (jobId: string, id: string) =>
      exists(store, sql` FROM training_events WHERE job_id = ${text(jobId)} AND id = ${text(id)}`),
    /** Ordered by insertion. */
    async listEvents(jobId: string, range: PageRange): Promise<readonly StoredEvent[]> {
      const found = await store.read((session) => session.all(eventStretch(jobId, range)));
      return found.map((one) => ({ ...one, data: JSON.parse(one.data) as Record<string, unknown> }));
    },
  };
}

async function exists(store: RecordStore, from: Sql): Promise<boolean> {
  const any = query("existence", select({ one: column.integer(sql`1`) }, from));
  return (await store.read((session) => session.all(any))).length > 0;
}

function checkpointStretch(modelId: string, { after, limit, order }: PageRange) {
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

function eventStretch(jobId: string, { after, limit }: PageRange) {
  const beyond = sql` AND number > (SELECT number FROM training_events
    WHERE job_id = ${text(jobId)} AND id = ${text(after)})`;
  const events = select(
    { id: column.text(sql`id`), type: column.text(sql`type`), data: column.text(sql`data`) },
    sql` FROM training_events
    WHERE job_id = ${text(jobId)}${after === null ? EMPTY : beyond} ORDER BY number LIMIT ${bigint(limit)}`,
  );
  return query("events", events);
}
