import { describe, expect, it } from "vitest";
import { openBoth } from "../support/both-engines.ts";
import { noClickHouse, scratchDatabase, sharedClickHouse } from "../support/clickhouse-server.ts";
import { call, PROJECT, root, trial } from "../support/records.ts";
import { because } from "../support/skipped.ts";

const PRICES = { small: { input: 2, output: 10 } };

/** A finished run: rows that differ in scores and tokens, of which some failed, with scorers that failed on others. */
function run(day: number, right: number): object[] {
  const [id, at] = [`run-${day}`, `2026-07-0${day}T00:00:00Z`];
  return [
    root(id, { display_name: "sums", started_at: at, ended_at: at, attributes: { commit: `abcdef${day}` } }),
    ...Array.from({ length: 24 }, (_, i) => {
      const usage = { small: { prompt_tokens: 100 * day + i, completion_tokens: i % 5 } };
      const failed = { exception: `Error: 429 after ${i * 7}.5 ms\n  at é 💥`, output: null };
      return trial(
        `${id}-${i}`,
        { i },
        { correct: i < right },
        { parent_id: id, started_at: at, summary: i === 3 ? {} : { usage }, ...(i % 6 === 5 ? failed : {}) },
      );
    }),
    ...[0, 2, 4].map((i) =>
      call(`${id}-${i}-s`, {
        parent_id: `${id}-${i}`,
        op_name: i === 4 ? "op.score" : "correct.score",
        attributes: {
          weave: { score: true, ...(i === 2 ? { scorer: "weave:///a/b/object/judge:v1" } : {}) },
        },
        exception: `boom ${"deadbeef".repeat(i)} 1`,
      }),
    ),
    call(`${id}-1-p`, { parent_id: `${id}-1`, op_name: "Model.predict", exception: "  503 at 0x1f " }),
    trial(`${id}-x`, { i: 99 }, {}, { parent_id: id, started_at: at, output: null }),
  ];
}

const IDS = ["run-1", "run-2", "run-3"];
const SUMMARY = { evaluation_call_ids: IDS, include_rows: false, include_summary: true } as const;
const error = { $getField: "error" } as const;
const isLimit = { query: { $expr: { $eq: [error, { $literal: "Error: 429 after # ms" }] } } } as const;
const isWell = { query: { $expr: { $not: [{ $convert: { input: error, to: "exists" } }] } } } as const;

describe.skipIf(noClickHouse !== null)(
  `errors, costs and histories, on both engines${because(noClickHouse)}`,
  () => {
    it("are the same bytes", async () => {
      const both = await openBoth(await sharedClickHouse(), scratchDatabase(await sharedClickHouse()));
      try {
        const cores = [both.onFile, both.onServer];
        for (const core of cores) await core.ingestCalls([run(1, 22), run(2, 21), run(3, 6)].flat());
        const answers = cores.map(async (core) =>
          [
            await core.listEvaluations(PROJECT),
            await core.queryEvalResults(PROJECT, { ...SUMMARY, include_errors: true }),
            await core.queryEvalResults(PROJECT, { ...SUMMARY, include_errors: true, filters: [isWell] }),
            await core.queryEvalResults(PROJECT, {
              ...SUMMARY,
              include_errors: true,
              include_predict_and_score_children: false,
            }),
            await core.queryEvalResults(PROJECT, { evaluation_call_ids: IDS, filters: [isLimit] }),
            await core.queryEvalResults(PROJECT, { ...SUMMARY, include_usage: true, prices: PRICES }),
            await core.compareEvaluations(PROJECT, {
              baseline: "run-1",
              candidates: ["run-2", "run-3"],
              prices: PRICES,
              count_errors_as: 0,
            }),
            await core.leaderboard(PROJECT, { prices: PRICES }),
            await core.history(PROJECT, { prices: PRICES, scorers: ["correct"] }),
          ].map((answer) => JSON.stringify(answer)),
        );
        const [onFile = [], onServer = []] = await Promise.all(answers);
        for (const [i, answer] of onFile.entries()) expect(onServer[i], `answer ${i}`).toBe(answer);
        expect(onFile[0]).toContain('"error_count":6,"top_error":"Error: 429 after # ms"');
        expect(onFile[1]).toContain('"text":"boom # #","count":1,"kind":"scorer","scorer":"judge"');
        expect(onFile[4]).toContain('"total_rows":4');
        expect(onFile[6]).toContain('"scorer_key":"cost"');
        expect(onFile[8]).toContain('"verdict":"regressed"');
      } finally {
        await both.close();
      }
    }, 240_000);
  },
);
