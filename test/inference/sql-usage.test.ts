import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSqlUsageSink, type UsageRecord } from "../../src/inference/usage/usage.ts";
import type { FileStore } from "../../src/store/session.ts";
import { sql } from "../../src/store/sql.ts";
import { openTables } from "../http/duckdb-tables.ts";

let store: FileStore;

beforeAll(async () => {
  store = await openTables();
});

afterAll(() => store.close());

const RECORD: UsageRecord = {
  requestId: "r",
  keyId: "k",
  user: "ann",
  project: null,
  model: "m",
  startedAt: new Date(0),
  status: 200,
  streamed: false,
  outcome: "ok",
  promptTokens: 3,
  completionTokens: 2,
  cachedTokens: null,
  latencyMs: 10,
  firstTokenMs: null,
};

describe("usage in the database", () => {
  it("adds up for each key, project and model", async () => {
    const sink = createSqlUsageSink(store);
    for (let at = 0; at < 3; at++) sink.recordUsage(RECORD);
    sink.recordUsage({
      ...RECORD,
      outcome: "failed",
      promptTokens: null,
      completionTokens: null,
      latencyMs: 30,
    });
    sink.recordUsage({ ...RECORD, project: "acme/qa", streamed: true, firstTokenMs: 5 });
    await sink.flush();
    await sink.flush();
    const rows = await store.read((session) =>
      session.rows(sql`SELECT key_id, project_id, model, requests, failed_requests, prompt_tokens, completion_tokens,
        mean_latency_ms, mean_first_token_ms FROM usage_totals ORDER BY project_id`),
    );
    expect(rows).toEqual([
      ["k", "acme/qa", "m", 1n, 0n, 3n, 2n, 10, 5],
      ["k", null, "m", 4n, 1n, 9n, 6n, 15, null],
    ]);
  });

  it("says when it cannot be written, and goes on", async () => {
    const errors: unknown[] = [];
    const records = { ...store.records, inTurn: () => Promise.reject(new Error("full")) };
    const broken: FileStore = { ...store, records };
    const sink = createSqlUsageSink(broken, (error) => void errors.push(error));
    sink.recordUsage(RECORD);
    await sink.flush();
    expect(errors).toHaveLength(1);
  });
});
