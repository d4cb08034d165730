import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { scenario } from "../../oracle/arbitraries.ts";
import { play } from "../../oracle/play.ts";
import { answersOfBoth, openBoth, questionsOf } from "../../support/both-engines.ts";
import { noClickHouse, scratchDatabase, sharedClickHouse } from "../../support/clickhouse-server.ts";
import { because } from "../../support/skipped.ts";

const SEED = Number(process.env["SEED"] ?? 606);
const SCENARIOS = Number(process.env["SCENARIOS"] ?? 10);
const REQUESTS = 20;

describe.skipIf(noClickHouse !== null)(`random projects on both engines${because(noClickHouse)}`, () => {
  let url: string;
  beforeAll(async () => {
    url = await sharedClickHouse();
  });

  it.each(
    fc.sample(scenario(REQUESTS), { seed: SEED, numRuns: SCENARIOS }).map((one, i) => [i, one] as const),
  )(`have the same answers (SEED=${SEED}, scenario %d)`, async (_, { events, projectId, requests }) => {
    const both = await openBoth(url, scratchDatabase(url));
    try {
      await Promise.all([play(both.onFile, events, 1000), play(both.onServer, events, 1000)]);
      const { compare, agreement } = await questionsOf(both, projectId);
      const more = requests.map((request, i) =>
        i % 4 === 0
          ? { ...request, include_summary: true, include_uncertainty: true, pass_k: [1, 2] }
          : request,
      );
      const answers = await answersOfBoth(both, projectId, { requests: more, compare, agreement });
      for (const { question, onFile, onServer } of answers) expect.soft(onServer, question).toBe(onFile);
    } finally {
      await both.close();
    }
  });
});
