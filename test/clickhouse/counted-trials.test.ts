import { describe, expect, it } from "vitest";
import { openAnyCore, openCore } from "../../src/engine/engine.ts";
import { openBoth } from "../support/both-engines.ts";
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
  const verdict = { decided: i % 5 === 0 ? null : i % 2 === 0, graded: i % 4 === 1 ? null : { points: i } };
  return { flag: i % 3 !== 0, rating: i % 4, judge: { score: 0.85 / (i + 1), said: "so" }, ...verdict };
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
  { count_errors_as: { flag: 1, "judge.score": -0.25 } },
  { count_errors_as: 0, filters: [ODD] },
  { count_errors_as: 0, include_predict_and_score_children: false },
  { count_errors_as: { sum: 7 }, derived_scores: { sum: "rating + judge.score" } },
  { count_nulls_as: { decided: 1, "graded.points": -3 }, count_errors_as: { decided: 0 } },
  { count_nulls_as: 0, filters: [ODD], include_predict_and_score_children: false },
  {},
];

describe.skipIf(noClickHouse !== null)(
  `trials without a value that count, on both engines${because(noClickHouse)}`,
  () => {
    it("have the same figures", async () => {
      const both = await openBoth(await sharedClickHouse(), scratchDatabase(await sharedClickHouse()));
      try {
        const cores = [both.onFile, both.onServer];
        for (const core of cores) await core.ingestCalls(records());
        for (const members of REQUESTS) {
          const [onFile, onServer] = await Promise.all(
            cores.map(async (core) =>
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
          expect(onServer, JSON.stringify(members)).toBe(onFile);
          expect(onFile).toContain(
            "count_errors_as" in members
              ? '"counted_error_count":2'
              : "count_nulls_as" in members
                ? '"counted_null_count":1'
                : "failed trials",
          );
        }
      } finally {
        await both.close();
      }
    }, 240_000);

    it("have the same figures where tables are spread over servers", async () => {
      const database = scratchOnShards(await sharedShards());
      const onFile = await openCore({ threads: 1 });
      const spread = await openAnyCore({ clickhouse: { ...(await sharedCluster()), database } });
      try {
        const asked = { ...SUMMARY, count_errors_as: 0 };
        const answers = [onFile, spread].map(async (core) => {
          await core.ingestCalls(records());
          return core.queryEvalResultsJson(PROJECT, asked);
        });
        expect(await answers[1]).toBe(await answers[0]);
      } finally {
        await onFile.close();
        await spread.close();
      }
    });
  },
);
