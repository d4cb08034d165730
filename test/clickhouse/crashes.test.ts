import { beforeAll, describe, expect, it } from "vitest";
import { maintain } from "../../src/clickhouse/load/maintain.ts";
import { readCommits } from "../../src/clickhouse/lookup/visible.ts";
import { countStray, crash, dieHere } from "../support/clickhouse-crashes.ts";
import { clickHouseFacts } from "../support/clickhouse-facts.ts";
import { openLoading } from "../support/clickhouse-loading.ts";
import { noClickHouse, scratchDatabase, sharedClickHouse } from "../support/clickhouse-server.ts";
import { call, root, trial } from "../support/records.ts";
import { because } from "../support/skipped.ts";

/** A load that makes a trial, ends a version of another one, and names a row that is there. */
const source = (i: number) => [
  trial(`t${i}`, { q: i % 3 }, { acc: i, judge: null }),
  call(`c${i}`, { parent_id: `t${i - 1}`, attributes: { svc: { score: true } }, op_name: "late", output: i }),
];

describe.skipIf(noClickHouse !== null)(`a writer on ClickHouse that dies${because(noClickHouse)}`, () => {
  let url: string;
  beforeAll(async () => {
    url = await sharedClickHouse();
  });

  it("leaves its load whole or leaves nothing, and a second attempt ends where the first would have", async () => {
    const alive = await openLoading(url, scratchDatabase(url));
    await alive.ingestCalls([root(), trial("t0", { q: 0 }, { acc: 0 })]);
    const outcomes = [];
    let before = await clickHouseFacts(alive.database.client);
    for (const [i, [step, death]] of (
      [
        [13, "before"],
        [21, "before"],
        [23, "after"],
      ] as const
    ).entries()) {
      const { left, maintained, repeated, stray, survived } = await crash(
        alive,
        source(i + 1),
        dieHere(url, step, death),
      );
      expect([before, repeated]).toContainEqual(left);
      expect({ maintained, stray, survived }).toEqual({ maintained: left, stray: 0, survived: false });
      expect(repeated).not.toEqual(before);
      before = repeated;
      outcomes.push(JSON.stringify(left) === JSON.stringify(repeated) ? "stored" : "nothing");
    }
    expect(new Set(outcomes)).toContain("nothing");
  });

  it("is maintained: versions that have ended go, and the list of visible loads is closed", async () => {
    const { database, ingestCalls, deleteCalls } = await openLoading(url, scratchDatabase(url));
    const { client, hasCoordinator } = database;
    await ingestCalls([root(), trial("t0", { q: 0 }, { acc: 0 }), trial("t1", { q: 1 }, { acc: 0 })]);
    await ingestCalls([trial("t0", { q: 0 }, { acc: 1 })]);
    await deleteCalls("acme/qa", ["t1"]);
    const before = await clickHouseFacts(client);
    expect(await maintain({ ...database, graceSeconds: 0 })).toMatchObject({ ended: 6 });
    expect(await clickHouseFacts(client)).toEqual(before);
    expect(await readCommits(client, hasCoordinator)).toMatchObject({ loads: [], number: 3n });
    expect(await maintain({ ...database, graceSeconds: 0 })).toEqual({
      givenUp: 0,
      purged: 0,
      ended: 0,
    });
    await ingestCalls([call("c", { parent_id: "t0" })]);
    expect((await clickHouseFacts(client)).scores).toEqual(before.scores);
    expect(await countStray(client, hasCoordinator)).toBe(0);
  });
});
