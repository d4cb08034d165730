import { isJsonObject } from "../../model/json.ts";
import { writeRecords } from "../../store/records.ts";
import type { Column, RecordStore } from "../../store/session.ts";
import type { SqlType, SqlValue } from "../../store/sql.ts";

/** The caller for accounting, identified without the key itself. */
export interface UsageCaller {
  readonly keyId: string;
  readonly user: string;
  /** Value of the project header, if one was sent. */
  readonly project: string | null;
}

/** The usage of one request to a model server. Token counts are null when the upstream did not report them. */
export interface UsageRecord {
  /** Id of the request as in the log. */
  readonly requestId: string;
  /** First digits of the SHA-256 of the key that was used. */
  readonly keyId: string;
  /** The user of the key. */
  readonly user: string;
  /** Value of the project header, if one was sent. */
  readonly project: string | null;
  /** The requested model. */
  readonly model: string;
  /** Time of the request's arrival. */
  readonly startedAt: Date;
  /** HTTP status of the answer. */
  readonly status: number;
  /** Whether the answer was a stream. */
  readonly streamed: boolean;
  /** How the request ended. */
  readonly outcome: Outcome;
  /** Tokens of the prompt. */
  readonly promptTokens: number | null;
  /** Tokens of the completion; null for embeddings. */
  readonly completionTokens: number | null;
  /** Tokens of the prompt that came from the server's cache. */
  readonly cachedTokens: number | null;
  /** Time from the request to the last byte in milliseconds. */
  readonly latencyMs: number;
  /** Time from the request to the first token of a stream in milliseconds. */
  readonly firstTokenMs: number | null;
}

/** `ok`, or broken off by the upstream (`failed`) or the client (`aborted`). */
export type Outcome = "ok" | "failed" | "aborted";

/** Receives usage records. */
export interface UsageSink {
  /** Called once per request after its last byte; must not throw. */
  recordUsage(record: UsageRecord): void;
}

/** A sink that writes in the background. Records that are not yet written when the process is killed are lost. */
export interface UsageLog extends UsageSink {
  /** Writes pending records; resolves when they are durable. */
  flush(): Promise<void>;
}

/** The token counts of a `usage` member; null where unknown. */
export interface TokenCounts {
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  readonly cachedTokens: number | null;
}

export const NO_COUNTS: TokenCounts = { promptTokens: null, completionTokens: null, cachedTokens: null };

/** Reads a `usage` object of a reply or event, as each endpoint names its members; unexpected values become null. */
export function readTokenCounts(usage: unknown): TokenCounts {
  if (!isJsonObject(usage)) return NO_COUNTS;
  const details = usage["prompt_tokens_details"] ?? usage["input_tokens_details"];
  return {
    promptTokens: count(usage["prompt_tokens"] ?? usage["input_tokens"]),
    completionTokens: count(usage["completion_tokens"] ?? usage["output_tokens"]),
    cachedTokens: isJsonObject(details) ? count(details["cached_tokens"]) : null,
  };
}

function count(value: unknown): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

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
