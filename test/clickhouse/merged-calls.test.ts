import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { ClickHouse } from "../../src/clickhouse/server/client.ts";
import { maintain } from "../../src/clickhouse/load/maintain.ts";
import { hashKey } from "../../src/model/digest.ts";
import { writeJson } from "../../src/model/json.ts";
import { openBoth } from "../support/both-engines.ts";
import { clickHouseFacts } from "../support/clickhouse-facts.ts";
import { openLoading } from "../support/clickhouse-loading.ts";
import { after } from "../support/clickhouse-meeting.ts";
import { noClickHouse, scratchDatabase, sharedClickHouse } from "../support/clickhouse-server.ts";
import { call, PROJECT, root, stream, trial } from "../support/records.ts";
import { because } from "../support/skipped.ts";

const end = (id: string, others: object = {}) => ({
  id,
  project_id: PROJECT,
  ended_at: "2026-01-01T00:00:09Z",
  ...others,
});

async function countMerged(client: ClickHouse): Promise<number> {
  const [found] = await client.rows("SELECT count() FROM merged_calls");
  return Number(found?.[0]);
}

describe.skipIf(noClickHouse !== null)(
  `calls of several records on ClickHouse${because(noClickHouse)}`,
  () => {
    let url: string;
    beforeAll(async () => {
      url = await sharedClickHouse();
    });

    async function open(database = scratchDatabase(url)) {
      const both = await openBoth(url, database);
      onTestFinished(both.close);
      return both;
    }

    it("have of a member that is named twice the last one, as on DuckDB", async () => {
      const { onFile, onServer } = await open();
      const [start, twice] = ["a", "b"].map((branch) => `"attributes":{"branch":"${branch}"}`);
      const text = JSON.stringify(root()).replace("}", `,${start},${twice}}`);
      for (const core of [onFile, onServer]) {
        await core.ingestCalls(stream([`${text}\n`]), { partial: true });
        await core.ingestCalls([end("e"), trial("t", 1)], { partial: true });
      }
      for (const branch of ["a", "b"]) {
        const ask = { where: { "attributes.branch": branch } };
        const wanted = writeJson(await onFile.leaderboard(PROJECT, ask));
        expect(writeJson(await onServer.leaderboard(PROJECT, ask))).toBe(wanted);
        expect(wanted.includes("where keeps none")).toBe(branch === "a");
      }
    });

    it("keep a null that two writers sent at the same time, as on DuckDB", async () => {
      const database = scratchDatabase(url);
      const { onFile, onServer } = await open(database);
      const source = [root("e", { display_name: null }), trial("t", 1)];
      await onFile.ingestCalls(source, { partial: true });
      const other = await openLoading(url, database);
      const slow = await openLoading(url, database, (direct) =>
        after(direct, () => other.ingestCalls(source, { partial: true })),
      );
      await slow.ingestCalls(source, { partial: true });
      const ask = { where: { display_name: null } };
      const wanted = writeJson(await onFile.leaderboard(PROJECT, ask));
      expect(writeJson(await onServer.leaderboard(PROJECT, ask))).toBe(wanted);
      expect(wanted).not.toContain("no evaluation has");
      expect((await clickHouseFacts(other.database.client)).calls).toHaveLength(2);
      expect((await onServer.check()).problems).toEqual([]);
    });

    it("are what the records of two writers who met make, in the order of their loads", async () => {
      const database = scratchDatabase(url);
      const sources: object[][] = [
        [root(), trial("t", 1), { ...call("c", { parent_id: "t", attributes: { first: 1.5 } }) }],
        [end("c", { exception: "late" }), end("t", { summary: { n: 123456789012345678901234n } }), end("e")],
        [end("c", { summary: { usage: {} } }), { id: "t", project_id: PROJECT, display_name: "renamed" }],
      ];
      const [before = [], first = [], second = []] = sources;
      const alone = await openLoading(url, scratchDatabase(url));
      for (const source of [before, second, first]) await alone.ingestCalls(source, { partial: true });
      const other = await openLoading(url, database);
      await other.ingestCalls(before, { partial: true });
      // The load of the slow one begins first, and is committed last.
      const quick = await openLoading(url, database);
      const slow = await openLoading(url, database, (direct) =>
        after(direct, () => quick.ingestCalls(first, { partial: true })),
      );
      await slow.ingestCalls(second, { partial: true });
      const { client } = other.database;
      expect((await clickHouseFacts(client)).calls).toEqual(
        (await clickHouseFacts(alone.database.client)).calls,
      );
    });

    it("are stored merged where they have several records, and once where they have one, after some time", async () => {
      const database = scratchDatabase(url);
      const { onServer } = await open(database);
      const { database: opened } = await openLoading(url, database);
      const { client } = opened;
      await onServer.ingestCalls([root(), trial("t", 1), trial("once", 2)], { partial: true });
      expect(await countMerged(client)).toBe(0);
      for (const n of [1, 2, 3])
        await onServer.ingestCalls([end("t", { ended_at: `2026-01-01T00:00:1${n}Z`, summary: { n } })], {
          partial: true,
        });
      expect(await countMerged(client)).toBe(3);
      const before = await clickHouseFacts(client);
      await maintain({ ...opened, graceSeconds: 3600 });
      expect(await countMerged(client)).toBe(3);
      await maintain({ ...opened, graceSeconds: 0 });
      expect(await countMerged(client)).toBe(1);
      expect(await clickHouseFacts(client)).toEqual(before);
      await onServer.ingestCalls([end("t", { ended_at: "2026-01-01T00:00:20Z" })], { partial: true });
      await maintain({ ...opened, graceSeconds: 0 });
      expect(await countMerged(client)).toBe(1);
      expect((await onServer.check()).problems).toEqual([]);
    });

    it("are found by a check where what they make is missing, or older than they are", async () => {
      const database = scratchDatabase(url);
      const { onServer } = await open(database);
      const { client } = (await openLoading(url, database)).database;
      await onServer.ingestCalls([root(), trial("t", 1)], { partial: true });
      await onServer.ingestCalls([end("t"), end("e")], { partial: true });
      expect((await onServer.check()).problems).toEqual([]);
      const [missing, older] = [hashKey(PROJECT, "e"), hashKey(PROJECT, "t")];
      await client.run("DELETE FROM merged_calls WHERE call_key = {missing: UInt64}", { missing });
      const first = "(SELECT min(load) FROM fragments)";
      await client.run(`INSERT INTO merged_calls SELECT * REPLACE (${first} AS load) FROM merged_calls`);
      await client.run(
        `INSERT INTO merged_calls SELECT * REPLACE (${first} AS load, call_key + 1 AS call_key) FROM merged_calls LIMIT 1`,
      );
      await client.run(`DELETE FROM merged_calls WHERE call_key = {older: UInt64} AND load > ${first}`, {
        older,
      });
      expect((await onServer.check()).problems).toMatchObject([
        { kind: "lost_reference", table: "fragments", records: 3 },
      ]);
    });
  },
);
