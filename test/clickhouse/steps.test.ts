import type { EvalResultsRequest } from "../../src/index.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { noClickHouse, scratchDatabase, sharedClickHouse } from "../support/clickhouse-server.ts";
import { openBoth } from "../support/both-engines.ts";
import { because } from "../support/skipped.ts";
import { asked, comparedBy, countedRuns, PAIRS, PROJECT, RUNS } from "../steps/counted-runs.ts";
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

  it("count the same in every answer", async () => {
    const both = await openBoth(url, scratchDatabase(url));
    for (const core of [both.onFile, both.onServer]) await core.ingestCalls(countedRuns());
    const requests = [...PAIRS.flatMap(([field]) => asked(field)), { sort_by: [{ field: "stop_reason" }] }];
    const whole = requests.map((request) => ({
      evaluation_call_ids: RUNS,
      include_summary: true,
      ...request,
    }));
    for (const request of whole as EvalResultsRequest[])
      expect(await both.onServer.queryEvalResultsJson(PROJECT, request), JSON.stringify(request)).toBe(
        await both.onFile.queryEvalResultsJson(PROJECT, request),
      );
    for (const [field] of PAIRS)
      expect(await both.onServer.compareEvaluations(PROJECT, comparedBy(field)), field).toEqual(
        await both.onFile.compareEvaluations(PROJECT, comparedBy(field)),
      );
    await both.close();
  });
});
