import { beforeAll, describe, expect, it } from "vitest";
import type { Bound } from "../../src/clickhouse/server/client.ts";
import type { ClickHouseDatabase } from "../../src/clickhouse/open/open-database.ts";
import { clickHouseFacts } from "../support/clickhouse-facts.ts";
import { openLoading } from "../support/clickhouse-loading.ts";
import { noClickHouse, scratchDatabase, sharedClickHouse } from "../support/clickhouse-server.ts";
import { call, root, trial } from "../support/records.ts";
import { because } from "../support/skipped.ts";

const late = (id: string, parent_id: string) =>
  call(id, { parent_id, op_name: "late", attributes: { svc: { score: true } }, output: 1 });

describe.skipIf(noClickHouse !== null)(`a writer that knows what is stored${because(noClickHouse)}`, () => {
  let url: string;
  beforeAll(async () => {
    url = await sharedClickHouse();
  });

  it("finds what it stored, what others stored since, and what was stored before it began", async () => {
    const database = scratchDatabase(url);
    const first = await openLoading(url, database);
    const ofFirst = [root(), trial("t0", { q: 0 }, { acc: 0 }), trial("t1", { q: 1 }, { acc: 0 })];
    await first.ingestCalls(ofFirst);
    expect(await first.ingestCalls(ofFirst)).toMatchObject({ stored: 0, unchanged: 3 });

    const second = await openLoading(url, database);
    const ofSecond = [trial("t2", { q: 0 }, { acc: 0 }), late("c1", "t1")];
    await second.ingestCalls(ofSecond);
    expect(await first.ingestCalls([...ofSecond, late("c2", "t2")])).toMatchObject({
      stored: 1,
      unchanged: 2,
    });

    const third = await openLoading(url, database);
    const steps = Array.from({ length: 4200 }, (_, i) => call(`s${i}`));
    expect(
      await third.ingestCalls([...steps, ...ofFirst, ...ofSecond, late("c0", "t0"), ...steps.slice(0, 10)]),
    ).toMatchObject({ stored: 4201, unchanged: 15 });
    expect(await third.ingestCalls([...steps.slice(0, 1), trial("t3", { q: 1 })])).toMatchObject({
      stored: 1,
      unchanged: 1,
    });

    const { scores, rows, trials } = await clickHouseFacts(first.database.client);
    expect(trials).toHaveLength(4);
    expect(scores.filter((one) => one.includes('["late"]'))).toHaveLength(3);
    expect(rows).toHaveLength(2);
  });

  it("does not ask for a parent that children name before it comes", async () => {
    const asked: string[] = [];
    const noted = ({ client, ...others }: ClickHouseDatabase) => ({
      ...others,
      client: {
        ...client,
        rows: (statement: string, ...rest: [Bound?]) => {
          asked.push(statement);
          return client.rows(statement, ...rest);
        },
      },
    });
    const loading = await openLoading(url, scratchDatabase(url), noted);
    const trials = Array.from({ length: 9000 }, (_, i) => trial(`t${i}`, { q: 0 }, { acc: 0 }));
    await loading.ingestCalls([...trials, root()]);
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter((statement) => /call_key IN|group_key IN/.test(statement))).toEqual([]);
  });
});
