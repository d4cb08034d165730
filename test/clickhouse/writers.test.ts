import { beforeAll, describe, expect, it } from "vitest";
import { clickHouseFacts } from "../support/clickhouse-facts.ts";
import { openLoading } from "../support/clickhouse-loading.ts";
import { noClickHouse, scratchDatabase, sharedClickHouse } from "../support/clickhouse-server.ts";
import { playSchedule, randomSchedules } from "../support/clickhouse-schedules.ts";
import { because } from "../support/skipped.ts";

const SEED = Number(process.env["SEED"] ?? 5);
const COUNT = Number(process.env["COUNT"] ?? 2);

describe.skipIf(noClickHouse !== null)(`several writers of one database${because(noClickHouse)}`, () => {
  let url: string;
  beforeAll(async () => {
    url = await sharedClickHouse();
  });

  it(`end where one writer ends who loads their sources in the order of their loads (SEED=${SEED})`, async () => {
    for (const [i, schedule] of randomSchedules(SEED, COUNT).entries()) {
      const database = scratchDatabase(url);
      const writers = [];
      for (let k = 0; k < schedule.writers; k++) writers.push(await openLoading(url, database));
      const { sourcesInOrder } = await playSchedule(writers, schedule);
      const [first] = writers;
      if (first === undefined) throw new Error("a schedule without writers");
      const found = await clickHouseFacts(first.database.client);
      const alone = await openLoading(url, scratchDatabase(url));
      for (const source of sourcesInOrder) await alone.ingestCalls(source);
      const expected = await clickHouseFacts(alone.database.client);
      expect([i, found]).toEqual([i, expected]);
    }
  });
});
