import { createHash, randomUUID } from "node:crypto";
import { createFeedback, type Feedback } from "../../src/feedback/feedback.ts";
import { createSqlFeedbackStore } from "../../src/feedback/sql-store.ts";
import { createSqlTrainingStore } from "../../src/training/sql-store.ts";
import { createTraining, type Training } from "../../src/training/training.ts";
import type { EngineOptions } from "../../src/engine/engine-options.ts";
import { openBackend } from "../../src/engine/open-backend.ts";
import type { RecordStore, Store } from "../../src/store/session.ts";
import { sharedClickHouse } from "./clickhouse-server.ts";

/** Whether the tests of records beside evaluations run on a server: in the project `clickhouse-records`. */
export const isOnServer = process.env["EVALCUBE_TEST_RECORDS"] === "clickhouse";

/** Options for an empty database of the kind that the tests run on; of one path always the same one. */
export async function recordDatabase(path?: string): Promise<EngineOptions> {
  if (!isOnServer) return { threads: 1, ...(path === undefined ? {} : { path }) };
  const name = path === undefined ? randomUUID() : createHash("sha256").update(path).digest("hex");
  const database = `records_${name.replaceAll("-", "").slice(0, 32)}`;
  return { clickhouse: { url: await sharedClickHouse(), database } };
}

/** Opens such a database without an engine. */
export async function openRecords(path?: string): Promise<RecordStore & Store> {
  return (await openBackend(await recordDatabase(path))).store;
}

/** Feedback and training in memory, whatever the tests run on. */
export async function openMemoryRecords(): Promise<{
  readonly feedback: Feedback;
  readonly training: Training;
  readonly close: () => Promise<void>;
}> {
  const { store } = await openBackend({ path: ":memory:", threads: 1 });
  return {
    feedback: createFeedback(createSqlFeedbackStore(store)),
    training: createTraining(createSqlTrainingStore(store)),
    close: () => store.close(),
  };
}
