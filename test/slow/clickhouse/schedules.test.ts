import { beforeAll, describe, expect, it } from "vitest";
import { noClickHouse, sharedClickHouse } from "../../support/clickhouse-server.ts";
import { compareSchedule, randomSchedules } from "../../support/clickhouse-schedules.ts";
import { because } from "../../support/skipped.ts";

const SEED = Number(process.env["SEED"] ?? 1);
const COUNT = Number(process.env["COUNT"] ?? 500);

describe.skipIf(noClickHouse !== null)(`two and four writers of one database${because(noClickHouse)}`, () => {
  let url: string;
  beforeAll(async () => {
    url = await sharedClickHouse();
  });

  it.each([...randomSchedules(SEED, COUNT).entries()])(
    `end where one writer ends who loads their sources in the order of their loads (SEED=${SEED}, schedule %d)`,
    async (_, schedule) => {
      const { found, expected } = await compareSchedule(url, schedule);
      expect(found).toEqual(expected);
    },
  );
});
