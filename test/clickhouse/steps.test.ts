import { agentCalls as demoAgents } from "../../src/demo/agents.ts";
import type { EvalResultsRequest, StepsRequest } from "../../src/index.ts";
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
    const [first = {}] = requests;
    const step_scores = PAIRS.map(([field]) => field);
    const scored = { step_scores, include_uncertainty: true, histogram_bins: 3, pass_k: [1, 2] };
    const sorted = { ...scored, sort_by: [{ field: "scores.steps.count", direction: "desc" }] };
    const more = [{ ...first, include_uncertainty: true }, scored, sorted];
    const whole = [...requests, ...more].map((request) => ({
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

  it("are told in the same bytes in every view", async () => {
    const both = await openBoth(url, scratchDatabase(url));
    const calls = [...demoAgents()].map((call) => ({ ...call, project_id: PROJECT }));
    for (const core of [both.onFile, both.onServer]) await core.ingestCalls(calls);
    const ids = { evaluation_call_ids: ["orders-1", "orders-2", "orders-3"] };
    const requests: readonly StepsRequest[] = [
      ids,
      { ...ids, limit: 2, offset: 1, confidence: 0.8, adjust: "none" },
      { ...ids, view: "diff", limit: 20 },
      { ...ids, view: "diff", against: "orders-3" },
      { view: "trial", trials: ["orders-2-1"], texts: true },
      { view: "trial", trials: ["orders-2-34"] },
      { view: "diff", trials: ["orders-2-34", "orders-2-74", "orders-1-1"] },
    ];
    for (const request of requests)
      expect(JSON.stringify(await both.onServer.steps(PROJECT, request)), JSON.stringify(request)).toBe(
        JSON.stringify(await both.onFile.steps(PROJECT, request)),
      );
    const summary = {
      ...ids,
      include_summary: true,
      include_usage: true,
      include_stop_reasons: true,
      limit: 0,
    };
    expect(await both.onServer.queryEvalResultsJson(PROJECT, summary)).toBe(
      await both.onFile.queryEvalResultsJson(PROJECT, summary),
    );
    await both.close();
  });
});
