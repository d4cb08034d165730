import { beforeAll, describe, expect, it } from "vitest";
import { noClickHouse, scratchDatabase, sharedClickHouse } from "../support/clickhouse-server.ts";
import { because } from "../support/skipped.ts";
import { ARRIVALS, compareSteps } from "../steps/random-steps.ts";

const SEED = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31));

describe.skipIf(noClickHouse !== null)(`steps on ClickHouse${because(noClickHouse)}`, () => {
  let url: string;
  beforeAll(async () => {
    url = await sharedClickHouse();
  });

  it.each(Object.keys(ARRIVALS))(
    `are those that plain code finds, loaded %s (SEED=${SEED})`,
    async (arrival) => {
      const options = { clickhouse: { url, database: scratchDatabase(url) } };
      expect(await compareSteps(SEED, 20, [arrival], options)).toBeGreaterThan(0);
    },
  );
});
