import { afterEach, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { openClient } from "../../src/clickhouse/server/client.ts";
import { maintain } from "../../src/clickhouse/load/maintain.ts";
import { openDatabase } from "../../src/clickhouse/open/open-database.ts";
import type { ClickHouseOptions } from "../../src/clickhouse/server/options.ts";
import { SPREAD_BY } from "../../src/clickhouse/server/shards.ts";
import { openAnyCore } from "../../src/engine/engine.ts";
import { openBackend } from "../../src/engine/open-backend.ts";
import { sql } from "../../src/store/sql.ts";
import {
  CLUSTER,
  scratchOnShards,
  sharedCluster,
  sharedShards,
  startClickHouseCluster,
} from "../support/clickhouse-cluster.ts";
import { countStray, crash, dieHere } from "../support/clickhouse-crashes.ts";
import { clickHouseFacts } from "../support/clickhouse-facts.ts";
import { openLoading } from "../support/clickhouse-loading.ts";
import { noClickHouse, type ClickHouseServer } from "../support/clickhouse-server.ts";
import { EVALUATION, PROJECT, root, trial } from "../support/records.ts";
import { because } from "../support/skipped.ts";
import { until } from "../support/until.ts";

const CALLS = [root(), ...Array.from({ length: 12 }, (_, i) => trial(`t${i}`, { q: i }, { acc: i }))];
const ASKED = { evaluation_call_ids: [EVALUATION], include_summary: true };

describe.skipIf(noClickHouse !== null)(`a database over a cluster${because(noClickHouse)}`, () => {
  let servers: readonly ClickHouseServer[];
  let place: Awaited<ReturnType<typeof sharedCluster>>;
  const closing: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    servers = await sharedShards();
    place = await sharedCluster();
  });
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  async function open(options: Partial<ClickHouseOptions>, readOnly = false) {
    const database = await openDatabase({ ...place, database: "", ...options }, {}, readOnly);
    closing.push(database.close);
    return database;
  }

  async function openCore(database: string) {
    const core = await openAnyCore({ clickhouse: { ...place, database } });
    closing.push(core.close);
    return core;
  }

  /** A client of one server. */
  async function on(server: number, database: string) {
    const client = await openClient({ url: servers[server]?.url ?? "", database });
    closing.push(client.close);
    return client;
  }

  it("is made once, whichever of its servers is named, and has a part of each row on one of them", async () => {
    const database = scratchOnShards(servers);
    const made = await Promise.all(servers.map(({ url }) => open({ url, database })));
    expect(made.map(({ shardCount, name }) => [shardCount, name])).toEqual(
      made.map(() => [2, `${servers[0]?.url}/${database}`]),
    );
    const core = await openCore(database);
    await core.ingestCalls(CALLS);
    const parts = await Promise.all(servers.map((_, i) => on(i, `${database}_shard`)));
    for (const [table, key] of SPREAD_BY) {
      if (table === "gone") continue;
      const found = await Promise.all(
        parts.map((part) => part.rows(`SELECT DISTINCT toString(${key} % 2) FROM ${table}`)),
      );
      expect([table, ...found.map((one) => one.flat())]).toEqual([
        table,
        ["trials", "fragments", "call_groups", "trial_texts", "scores", "rows", "row_digests"].includes(table)
          ? ["0"]
          : [],
        ["trials", "fragments", "call_groups", "trial_texts", "scores", "rows", "row_digests"].includes(table)
          ? ["1"]
          : [],
      ]);
    }
    expect((await core.check()).problems).toEqual([]);
  });

  it("is refused for a cluster that nobody knows, or with another number of shards", async () => {
    const database = scratchOnShards(servers);
    await expect(open({ database, cluster: "nobody" })).rejects.toMatchObject({
      code: "unknown_cluster",
      message: expect.stringContaining("nobody"),
    });
    await open({ database });
    const url = servers[0]?.url ?? "";
    for (const readOnly of [false, true])
      await expect(openDatabase({ url, database }, {}, readOnly)).rejects.toMatchObject({
        code: "other_cluster",
      });
    const alone = scratchOnShards(servers);
    const { client } = await openDatabase({ url, database: alone }, {}, false);
    closing.push(client.close);
    await expect(open({ database: alone })).rejects.toMatchObject({ code: "other_cluster" });
  });

  it("is refused settings that change what its shards answer together", async () => {
    const database = scratchOnShards(servers);
    for (const name of [
      "distributed_group_by_no_merge",
      "distributed_product_mode",
      "prefer_global_in_and_join",
      "skip_unavailable_shards",
    ])
      await expect(open({ database, settings: { [name]: 1 } })).rejects.toMatchObject({
        code: "invalid_option",
        message: expect.stringContaining(name),
      });
  });

  it("is refused where a server has not the part of its place", async () => {
    const database = scratchOnShards(servers);
    await open({ database });
    const second = await on(1, `${database}_shard`);
    await second.run("TRUNCATE TABLE evalcube_shard");
    await expect(open({ database })).rejects.toMatchObject({ code: "other_cluster" });
    await second.run("INSERT INTO evalcube_shard SELECT 1, 2");
    await expect(open({ database })).rejects.toMatchObject({
      code: "other_cluster",
      message: expect.stringContaining(servers[1]?.url ?? ""),
    });
    const other = scratchOnShards(servers);
    const admin = await on(1, "system");
    await admin.run(`CREATE DATABASE ${other}_shard`);
    await admin.run(`CREATE TABLE ${other}_shard.evalcube_shard AS ${database}_shard.evalcube_shard`);
    await admin.run(`INSERT INTO ${other}_shard.evalcube_shard SELECT 2, 2`);
    await expect(open({ database: other })).rejects.toMatchObject({
      code: "other_cluster",
      message: expect.stringContaining("another database"),
    });
  });

  it("is refused over a cluster that leads to one server twice, to writers and readers", async () => {
    const own = await startClickHouseCluster(2, { others: { twice: [1, 1], aliased: [1, "localhost"] } });
    onTestFinished(async () => {
      await Promise.all(own.map((server) => server.kill()));
    });
    const url = own[0]?.url ?? "";
    await open({ url, database: "whole" });
    for (const cluster of ["twice", "aliased"])
      for (const readOnly of [false, true])
        await expect(open({ url, cluster, database: "whole" }, readOnly)).rejects.toMatchObject({
          code: "other_cluster",
          message: expect.stringContaining("once"),
        });
    for (const [cluster, said] of [
      ["twice", "several shards of the cluster twice are this server"],
      ["aliased", "has shard 1 of 2 of the database"],
    ] as const)
      await expect(open({ url, cluster, database: "new" })).rejects.toMatchObject({
        code: "other_cluster",
        message: expect.stringContaining(said),
      });
    expect(await open({ url, database: "new" })).toMatchObject({ shardCount: 2 });
  });

  it("is refused where the name of its parts is that of another database, which keeps what it has", async () => {
    const database = scratchOnShards(servers);
    const url = servers[1]?.url ?? "";
    const alone = await openLoading({ url }, `${database}_shard`);
    await alone.ingestCalls(CALLS);
    await expect(open({ database })).rejects.toMatchObject({
      code: "foreign_database",
      message: expect.stringContaining(`${url}/${database}_shard`),
    });
    expect((await clickHouseFacts(alone.database.client)).trials).toHaveLength(12);
    const first = await on(0, "system");
    await first.run(`CREATE DATABASE ${database}`);
    await expect(open({ database })).rejects.toMatchObject({ code: "foreign_database" });
  });

  it("is one server where there is one shard, by the address that was given", async () => {
    const [server] = await startClickHouseCluster(1, { others: { single: ["localhost"] } });
    onTestFinished(async () => {
      await server?.kill();
    });
    const url = server?.url ?? "";
    const database = await open({ url, cluster: "single", database: "one" });
    expect(database).toMatchObject({ name: `${url}/one`, shardCount: 1, spread: null });
  });

  it("leaves nothing on a server that was put first by mistake", async () => {
    const own = await startClickHouseCluster(2, { others: { swapped: [2, 1] } });
    onTestFinished(async () => {
      await Promise.all(own.map((server) => server.kill()));
    });
    const url = own[0]?.url ?? "";
    await open({ url, database: "ordered" });
    await expect(open({ url, cluster: "swapped", database: "ordered" })).rejects.toMatchObject({
      code: "other_cluster",
      message: expect.stringContaining("in the order in which they were"),
    });
    const second = await openClient({ url: own[1]?.url ?? "", database: "system" });
    closing.push(second.close);
    expect(await second.rows("SELECT name FROM databases WHERE startsWith(name, 'ordered')")).toEqual([
      ["ordered_shard"],
    ]);
  });

  it("is refused to a reader where statements do not find each part in its place", async () => {
    const database = scratchOnShards(servers);
    await open({ database });
    expect(await open({ database }, true)).toMatchObject({ shardCount: 2 });
    const second = await on(1, `${database}_shard`);
    const refused = { code: "other_cluster", message: expect.stringContaining("1: shard 1 of 2") };
    await second.run("TRUNCATE TABLE evalcube_shard");
    await expect(open({ database }, true)).rejects.toMatchObject(refused);
    await second.run("INSERT INTO evalcube_shard SELECT 1, 2");
    await expect(open({ database }, true)).rejects.toMatchObject(refused);
    await second.run("DROP TABLE evalcube_shard SYNC");
    await expect(open({ database }, true)).rejects.toMatchObject({ code: "other_cluster" });
  });

  it(
    "is left whole or as it was by a writer that dies between its shards",
    { timeout: 300_000 },
    async () => {
      const alive = await openLoading(place, scratchOnShards(servers));
      await alive.ingestCalls([root(), trial("t0", { q: 0 }, { acc: 0 }), trial("t1", { q: 1 }, { acc: 0 })]);
      let before = await clickHouseFacts(alive.database.client);
      for (const [i, step] of [9, 12, 15, 18, 21].entries()) {
        const source = [trial("t0", { q: 0 }, { acc: i + 1 }), trial(`n${i}`, { q: i % 4 }, { acc: i })];
        const { left, maintained, repeated, stray, survived } = await crash(
          alive,
          source,
          dieHere(place, step, i % 2 === 0 ? "before" : "after"),
        );
        expect([before, repeated]).toContainEqual(left);
        expect({ maintained, stray, survived }).toEqual({ maintained: left, stray: 0, survived: false });
        expect(repeated).not.toEqual(before);
        before = repeated;
      }
    },
  );

  it("is maintained on every shard", async () => {
    const { database, ingestCalls, deleteCalls } = await openLoading(place, scratchOnShards(servers));
    await ingestCalls(CALLS);
    await ingestCalls(CALLS.slice(1).map((one) => ({ ...one, display_name: "again", exception: "new" })));
    await deleteCalls(PROJECT, ["t3"]);
    const before = await clickHouseFacts(database.client);
    expect(before.trials).toHaveLength(11);
    expect(await maintain({ ...database, graceSeconds: 0 })).toMatchObject({ ended: 41 });
    expect(await clickHouseFacts(database.client)).toEqual(before);
    for (const shard of database.shards)
      expect(await shard.rows("SELECT count() FROM gone")).toEqual([["0"]]);
    expect(await countStray(database.client, true)).toBe(0);
  });

  it("reads more loads than a statement looks up", async () => {
    const database = scratchOnShards(servers);
    const core = await openCore(database);
    await core.ingestCalls(CALLS);
    const wanted = await core.queryEvalResultsJson(PROJECT, ASKED);
    const { client } = await open({ database });
    await client.run(`INSERT INTO loads (load, state, commit, loads)
      SELECT number + 2, 'visible', number + 2, [generateSnowflakeID()] FROM numbers(3000)`);
    await client.run("INSERT INTO commits SELECT 3001, [], [], ''");
    const other = await openCore(database);
    expect(await other.queryEvalResultsJson(PROJECT, ASKED)).toBe(wanted);
    expect(await other.ingestCalls([trial("more", { q: 1 }, { acc: 1 })])).toMatchObject({ stored: 1 });
    expect(await other.queryEvalResultsJson(PROJECT, ASKED)).not.toBe(wanted);
  });

  it("ends a statement on every shard when its signal aborts", async () => {
    const database = scratchOnShards(servers);
    const core = await openCore(database);
    const reason = new Error("enough");
    const abort = new AbortController();
    const read = core.store.read(
      (session) =>
        session.rows(
          sql`SELECT sum(n) FROM cluster('evalcube', view(SELECT 'given up here' AS text, sum(cityHash64(number)) AS n FROM numbers(1000000000000)))`,
        ),
      abort.signal,
    );
    const watching = await Promise.all(servers.map((_, i) => on(i, "system")));
    const running = async () => {
      const counts = watching.map((one) =>
        one.rows(
          "SELECT count() FROM processes WHERE position(query, 'given up here') > 0 AND position(query, 'processes') = 0",
        ),
      );
      return (await Promise.all(counts)).map(([found]) => Number(found?.[0]) > 0);
    };
    await until("the statement to run on both", async () => (await running()).every(Boolean));
    abort.abort(reason);
    await expect(read).rejects.toBe(reason);
    await until("the statement to end on both", async () => !(await running()).some(Boolean));
  });

  it("is checked for records on the wrong shard", async () => {
    const database = scratchOnShards(servers);
    const core = await openCore(database);
    await core.ingestCalls(CALLS);
    const { shards } = await open({ database });
    await shards[0]?.run(
      "INSERT INTO row_digests SELECT * REPLACE (row_key + 1 AS row_key) FROM row_digests LIMIT 2",
    );
    const { problems, tables } = await core.check();
    expect(problems).toMatchObject([{ kind: "misplaced", table: "row_digests", records: 2 }]);
    expect(tables).toContainEqual({ name: "trials", records: 12 });
  });

  it(
    "answers nothing and stores nothing while a shard is away, and names it",
    { timeout: 120_000 },
    async () => {
      const own = await startClickHouseCluster(2);
      onTestFinished(async () => {
        await Promise.all(own.map((server) => server.kill()));
      });
      const options = { url: own[0]?.url ?? "", cluster: CLUSTER, database: "away" };
      const core = await openAnyCore({ clickhouse: options, keepAnswers: false });
      closing.push(core.close);
      await core.ingestCalls(CALLS);
      await core.queryEvalResultsJson(PROJECT, ASKED);
      await own[1]?.kill();
      const named = { code: "unreachable", message: expect.stringContaining("127.0.0.2") };
      await expect(core.queryEvalResultsJson(PROJECT, ASKED)).rejects.toMatchObject(named);
      await expect(
        core.ingestCalls(CALLS.map((one) => ({ ...one, display_name: "x" }))),
      ).rejects.toMatchObject(named);
      await expect(openBackend({ clickhouse: options })).rejects.toMatchObject(named);
    },
  );
});
