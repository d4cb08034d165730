import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { openClient } from "../../src/clickhouse/server/client.ts";
import { openAnyCore } from "../../src/engine/engine.ts";
import { sql } from "../../src/store/sql.ts";
import { noClickHouse, scratchDatabase, sharedClickHouse } from "../support/clickhouse-server.ts";
import { because } from "../support/skipped.ts";
import { until } from "../support/until.ts";

/** Takes days. */
const LONG = "SELECT sum(cityHash64(number)) FROM numbers(1000000000000)";

describe.skipIf(noClickHouse !== null)(`a statement on ClickHouse${because(noClickHouse)}`, () => {
  let url: string;
  beforeAll(async () => {
    url = await sharedClickHouse();
  });

  async function client(settings: Record<string, string | number> = {}) {
    const opened = await openClient({ url, database: "default", settings });
    onTestFinished(() => opened.close());
    return opened;
  }

  /** How many statements with this text the server works on. */
  async function running(text: string): Promise<number> {
    const own = await client();
    const found = await own.rows(
      "SELECT count() FROM system.processes WHERE position(query, {text: String}) > 0 AND position(query, 'system.processes') = 0",
      { text },
    );
    return Number(found[0]?.[0]);
  }

  it("ends on the server when its signal aborts", async () => {
    const reason = new Error("enough");
    const abort = new AbortController();
    const database = scratchDatabase(url);
    const core = await openAnyCore({ clickhouse: { url, database } });
    const read = core.store.read(
      (session) => session.rows(sql`SELECT 'given up', sum(cityHash64(number)) FROM numbers(1000000000000)`),
      abort.signal,
    );
    await until("the statement to run", async () => (await running("'given up'")) === 1);
    abort.abort(reason);
    await expect(read).rejects.toBe(reason);
    await until("the statement to end", async () => (await running("'given up'")) === 0);
    await core.close();
  });

  it("is not sent where its signal has aborted", async () => {
    const reason = new Error("too late");
    await expect((await client()).rows(LONG, {}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  it("that takes too long is refused with what can be done", async () => {
    const hasty = await client({ max_execution_time: 1 });
    await expect(hasty.rows(LONG)).rejects.toMatchObject({
      code: "timeout",
      message: expect.stringContaining("requestTimeoutMs") as unknown,
    });
  });

  it("that takes too much memory is refused with what can be done", async () => {
    const small = await client({ max_memory_usage: 20_000_000, max_bytes_before_external_group_by: 0 });
    const statement = "SELECT uniqExact(number) FROM numbers(10000000)";
    await expect(small.rows(statement)).rejects.toMatchObject({
      code: "memory_limit",
      message: expect.stringContaining("max_memory_usage") as unknown,
    });
  });

  it("that reads changes nothing", async () => {
    const reader = await client();
    await expect(reader.rows("CREATE DATABASE made_by_a_reader")).rejects.toMatchObject({
      code: "not_allowed",
    });
  });
});
