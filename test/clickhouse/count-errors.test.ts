import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCore } from "../../src/engine/engine.ts";
import { openServer } from "../../src/engine/open-server.ts";
import { openBoth, type Both } from "../support/both-engines.ts";
import { scratchOnShards, sharedCluster, sharedShards } from "../support/clickhouse-cluster.ts";
import { noClickHouse, scratchDatabase, sharedClickHouse } from "../support/clickhouse-server.ts";
import { call, PROJECT, root, trial } from "../support/records.ts";
import { because } from "../support/skipped.ts";

function failed(id: string, i: number, parent: string) {
  return trial(id, { q: i }, {}, { parent_id: parent, exception: "timeout", output: null });
}

/** Three evaluations: trials that failed with and without scores, texts, several trials a row, one that failed everywhere. */
function records() {
  return [
    root("e1"),
    ...Array.from({ length: 9 }, (_, i) =>
      i % 4 === 3
        ? failed(`e1-${i}`, i, "e1")
        : trial(`e1-${i}`, { q: i }, scoresOf(i), { parent_id: "e1", exception: i === 4 ? "late" : null }),
    ),
    root("e2"),
    ...Array.from({ length: 12 }, (_, i) =>
      trial(
        `e2-${i}`,
        { q: i % 8 },
        { ...scoresOf(i + 1), wide: i % 2 === 0 ? null : 1e15 + i },
        { parent_id: "e2" },
      ),
    ),
    ...[2, 5, 9].map((i) =>
      call(`e2-${i}-p`, { parent_id: `e2-${i}`, op_name: "Model.predict", exception: "503" }),
    ),
    root("e3"),
    ...Array.from({ length: 9 }, (_, i) => failed(`e3-${i}`, i, "e3")),
  ];
}

function scoresOf(i: number) {
  return { flag: i % 3 !== 0, rating: i % 4, judge: { score: 0.85 / (i + 1), said: "so" } };
}

const EVALUATIONS = ["e1", "e2", "e3"];
const SUMMARY = {
  evaluation_call_ids: EVALUATIONS,
  include_rows: false,
  include_summary: true,
  include_uncertainty: true,
  pass_k: [1, 2],
  histogram_bins: 4,
};
const ODD = { query: { $expr: { $gt: [{ $getField: "inputs.q" }, { $literal: 2 }] } } } as const;

const REQUESTS = [
  { count_errors_as: 0 },
  { count_errors_as: { flag: 1, "judge.score": -0.25 } },
  { count_errors_as: 0, filters: [ODD] },
  { count_errors_as: 0, include_predict_and_score_children: false },
  { count_errors_as: { sum: 7 }, derived_scores: { sum: "rating + judge.score" } },
  {},
];

describe.skipIf(noClickHouse !== null)(
  `failed trials that count, on both engines${because(noClickHouse)}`,
  () => {
    let both: Both;
    beforeAll(async () => {
      both = await openBoth(await sharedClickHouse(), scratchDatabase(await sharedClickHouse()));
      for (const core of [both.onFile, both.onServer]) await core.ingestCalls(records());
    });
    afterAll(() => both.close());

    it.each(REQUESTS.map((one) => [JSON.stringify(one), one] as const))(
      "have the same figures: %s",
      async (_, members) => {
        const answers = await Promise.all(
          [both.onFile, both.onServer].map(async (core) =>
            JSON.stringify([
              await core.queryEvalResults(PROJECT, { ...SUMMARY, ...members }),
              await core.compareEvaluations(PROJECT, {
                baseline: "e1",
                candidates: ["e2", "e3"],
                ...members,
              }),
              await core.leaderboard(PROJECT, members),
            ]),
          ),
        );
        const [onFile, onServer] = answers;
        expect(onServer).toBe(onFile);
        expect(onFile).toContain("count_errors_as" in members ? '"counted_error_count":2' : "failed trials");
      },
    );

    it("have the same figures where tables are spread over servers", async () => {
      const database = scratchOnShards(await sharedShards());
      const spread = createCore(await openServer({ ...(await sharedCluster()), database }, {}), {});
      try {
        await spread.ingestCalls(records());
        const asked = { ...SUMMARY, count_errors_as: 0 };
        const [onFile, onShards] = await Promise.all(
          [both.onFile, spread].map((core) => core.queryEvalResultsJson(PROJECT, asked)),
        );
        expect(onShards).toBe(onFile);
      } finally {
        await spread.close();
      }
    });
  },
);
