import { beforeAll, describe, expect, it } from "vitest";
import { openAnyCore } from "../../src/engine/engine.ts";
import type { ClickHouse } from "../../src/clickhouse/server/client.ts";
import { maintain } from "../../src/clickhouse/load/maintain.ts";
import { openDatabase } from "../../src/clickhouse/open/open-database.ts";
import { readCommits } from "../../src/clickhouse/lookup/visible.ts";
import { noClickHouse, scratchDatabase, sharedClickHouse } from "../support/clickhouse-server.ts";
import { EVALUATION, PROJECT, root, trial } from "../support/records.ts";
import { because } from "../support/skipped.ts";

const COMMITS = 30_000;

/** Commits of loads without records, with keys above that of the one that is there. The coordinator has the last commit alone. */
async function commitMany(client: ClickHouse): Promise<void> {
  await client.run(
    `INSERT INTO loads (load, state, commit, loads) SELECT key, 'visible', 2 + number, [key, key + 1]
      FROM (SELECT number, (SELECT max(load) FROM trials) + 10 + 2 * number AS key FROM numbers({commits: UInt32}))`,
    { commits: COMMITS },
  );
  const number = COMMITS + 2;
  await client.run("ALTER TABLE commits DELETE WHERE number = 1");
  await client.run("INSERT INTO commits SELECT {number: UInt64}, [], [], ''", { number });
}

describe.skipIf(noClickHouse !== null)(
  `a database with ${COMMITS} recent commits${because(noClickHouse)}`,
  () => {
    let url: string;
    beforeAll(async () => {
      url = await sharedClickHouse();
    });

    it("shows no commit without those before it, whichever are noted", async () => {
      const { client } = await openDatabase({ url, database: scratchDatabase(url) }, {}, false);
      const take = (number: number, loads: number[]) =>
        client.run("INSERT INTO commits SELECT {number: UInt64}, {loads: Array(UInt64)}, [], ''", {
          number,
          loads,
        });
      const note = (commit: number, loads: number[]) =>
        client.run(
          "INSERT INTO loads (load, state, commit, loads) SELECT {load: UInt64}, 'visible', {commit: UInt64}, {loads: Array(UInt64)}",
          { load: loads[0] ?? 0, commit, loads },
        );
      const seen = async () => {
        const { number, loads } = await readCommits(client, true);
        return { number, loads: new Set(loads) };
      };
      try {
        await take(1, [10, 11]);
        await note(1, [10, 11]);
        // As if two commits came after the coordinator was asked, and the second was noted before the table was read.
        await note(3, [30]);
        expect(await seen()).toEqual({ number: 1n, loads: new Set([10n, 11n]) });
        await take(2, [20]);
        await take(3, [30]);
        expect(await seen()).toEqual({ number: 3n, loads: new Set([10n, 11n, 20n, 30n]) });
      } finally {
        await client.close();
      }
    });

    it("answers, takes loads and closes the list of commits", async () => {
      const database = scratchDatabase(url);
      const engine = await openAnyCore({ clickhouse: { url, database } });
      const { client } = await openDatabase({ url, database }, {}, false);
      const ask = () => engine.queryEvalResultsJson(PROJECT, { evaluation_call_ids: [EVALUATION] });
      try {
        const source = [root(), trial("t0", { q: 0 }, { acc: 1 }), trial("t1", { q: 1 }, { acc: 0 })];
        await engine.ingestCalls(source);
        const before = await ask();
        await commitMany(client);
        expect(await readCommits(client, true)).toMatchObject({ number: BigInt(COMMITS + 2), loads: [] });
        expect(await ask()).toEqual(before);
        expect(await engine.ingestCalls(source)).toMatchObject({ stored: 0, unchanged: 3 });
        expect(await engine.ingestCalls([trial("t2", { q: 1 }, { acc: 1 })])).toMatchObject({ stored: 1 });
        const after = await ask();
        expect(after).not.toEqual(before);
        await maintain({
          client,
          shards: [client],
          hasCoordinator: true,
          isReplicated: false,
          graceSeconds: 0,
        });
        expect(await readCommits(client, true)).toMatchObject({
          number: BigInt(COMMITS + 3),
          commit: 0n,
          loads: [],
        });
        expect(await ask()).toEqual(after);
      } finally {
        await client.close();
        await engine.close();
      }
    });
  },
);
