import { writeRecords } from "../../store/records.ts";
import type { Column, RecordStore } from "../../store/session.ts";
import type { SqlType, SqlValue } from "../../store/sql.ts";
import type { UsageLog, UsageRecord } from "./usage.ts";

/** Records are written in batches, this long after the first record of a batch. */
const WRITE_AFTER_MS = 500;

/** Writes usage to the table `usage`. `onError` is called when records could not be written; they are then lost. */
export function createSqlUsageSink(
  store: RecordStore,
  onError: (error: unknown) => void = () => {},
): UsageLog {
  let waiting: UsageRecord[] = [];
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    const records = waiting;
    waiting = [];
    if (records.length > 0) writing = writing.then(() => write(store, records)).catch(onError);
    return writing;
  };
  return {
    recordUsage(record) {
      waiting.push(record);
      timer ??= setTimeout(() => void flush(), WRITE_AFTER_MS).unref();
    },
    flush,
  };
}

const COLUMNS: readonly (readonly [string, SqlType, (record: UsageRecord) => SqlValue])[] = [
  ["request_id", "VARCHAR", (record) => record.requestId],
  ["key_id", "VARCHAR", (record) => record.keyId],
  ["user_id", "VARCHAR", (record) => record.user],
  ["project_id", "VARCHAR", (record) => record.project],
  ["model", "VARCHAR", (record) => record.model],
  ["started_at", "BIGINT", (record) => BigInt(record.startedAt.getTime()) * 1000n],
  ["status", "INTEGER", (record) => record.status],
  ["streamed", "BOOLEAN", (record) => record.streamed],
  ["outcome", "VARCHAR", (record) => record.outcome],
  ["prompt_tokens", "BIGINT", (record) => record.promptTokens],
  ["completion_tokens", "BIGINT", (record) => record.completionTokens],
  ["cached_tokens", "BIGINT", (record) => record.cachedTokens],
  ["latency_ms", "DOUBLE", (record) => record.latencyMs],
  ["first_token_ms", "DOUBLE", (record) => record.firstTokenMs],
];

async function write(store: RecordStore, records: readonly UsageRecord[]): Promise<void> {
  const columns = COLUMNS.map(([name, type, read]): Column => ({ name, type, values: records.map(read) }));
  await writeRecords(store, (session) => session.add("usage", columns));
}
