import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type {
  AgreementRequest,
  CompareRequest,
  EvalResultsRequest,
  LeaderboardRequest,
} from "../../src/index.ts";
import { openBoth, type Both } from "../support/both-engines.ts";
import { noClickHouse, sharedClickHouse } from "../support/clickhouse-server.ts";
import { call, PROJECT, root, trial } from "../support/records.ts";
import { because } from "../support/skipped.ts";

const MODELS = ["bot:small", "bot:large", "bot:new"];

/** Scores of all kinds: flags, ratings, fractions, texts, nulls, numbers of any size, and some that are left out. */
function scoresOf(i: number, e: number, t: number) {
  return {
    flag: (i + e * t) % 3 !== 0,
    judge: { rating: (i + e) % 5, wide: 0.85 / (i + 1) + e / 7, tone: i % 2 === 0 ? "kind" : "curt" },
    size: i % 7 === 3 ? null : (i - 5) * 10 ** ((i % 5) * 4 - 8) * (e + 1.1),
    ...(i % 4 === 1 ? {} : { some: i * 0.1 + t }),
  };
}

/** Three evaluations of 14 rows, the second with two trials a row and the third without three rows; every seventh trial fails. */
const CALLS = ["e0", "e1", "e2"].flatMap((id, e) => [
  root(id, { inputs: { model: MODELS[e] }, ended_at: "2026-01-01T01:00:00Z", display_name: `Run ${e}` }),
  ...Array.from({ length: e === 2 ? 11 : 14 }, (_, i) =>
    Array.from({ length: e === 1 ? 2 : 1 }, (__, t) => [
      trial(`${id}-${i}-${t}`, { q: i, kind: i % 3, topic: `t${i % 4}` }, scoresOf(i, e, t), {
        parent_id: id,
        ended_at: `2026-01-01T00:00:0${(i % 8) + 1}.25Z`,
        summary: {
          usage: { [MODELS[e] ?? ""]: { prompt_tokens: 10 + i, completion_tokens: 5 + t, requests: 1 } },
        },
        ...(i % 7 === 6 ? { exception: "no luck" } : {}),
      }),
      call(`late-${id}-${i}-${t}`, {
        parent_id: `${id}-${i}-${t}`,
        op_name: "late",
        attributes: { svc: { score: true } },
        output: (i * 3 + e) % 4,
      }),
    ]),
  ).flat(2),
]);

const ALL = ["e0", "e1", "e2"];
const DERIVED = {
  derived_scores: { total: "0.7 * judge.rating + 0.3 * some", good: "judge.wide > 0.2 and flag" },
};
const PASSED: EvalResultsRequest["filters"] = [
  { query: { $expr: { $gt: [{ $getField: "scores.judge.rating" }, { $literal: 1 }] } } },
];

const QUERIES: readonly EvalResultsRequest[] = [
  {
    include_summary: true,
    include_uncertainty: true,
    pass_k: [1, 2, 3],
    histogram_bins: 5,
    include_usage: true,
  },
  {
    include_summary: true,
    include_uncertainty: true,
    summary_require_intersection: true,
    include_row_counts: true,
  },
  {
    include_summary: true,
    include_uncertainty: true,
    require_intersection: true,
    pass_k: [2],
    histogram_bins: 3,
  },
  { include_summary: true, include_uncertainty: true, pass_k: [1, 2], histogram_bins: 4, ...DERIVED },
  { include_summary: true, include_predict_and_score_children: true, include_trial_errors: true },
  { include_summary: true, filters: PASSED, include_uncertainty: true, include_usage: true },
  { sort_by: [{ field: "scores.judge.wide", direction: "desc" }], limit: 5, offset: 2 } as never,
  { sort_by: [{ field: "scores.total", direction: "asc" }], ...DERIVED } as never,
  { sort_by: [{ field: "scores.size", mode: "difference" }] } as never,
  { moved: { field: "scores.judge.rating", baseline: "e0", direction: "up" } } as never,
  { missing: { field: "scores.some" } },
  { search: "t2", include_raw_data_rows: true, include_outputs: false },
  { include_outputs: "line", include_trial_errors: true },
  { include_raw_data_rows: true, resolve_row_refs: true, long_values: "head" },
];

const COMPARISONS: readonly Omit<CompareRequest, "baseline" | "candidates">[] = [
  {},
  { scorers: ["judge.wide", "flag"], confidence: 0.9 },
  { scorers: ["flag"], adjust: "holm" },
  { adjust: "none", margin: 0.5, lower_is_better: ["size"] },
  { cluster_by: "inputs.topic" },
  { cluster_by: "inputs.kind", scorers: ["flag", "late"] },
  { filters: PASSED },
  { include_predict_and_score_children: true },
  DERIVED,
  { ...DERIVED, scorers: ["good", "total"], cluster_by: "inputs.topic" },
];

const LEADERBOARDS: readonly LeaderboardRequest[] = [
  {},
  { by: "model", adjust: "holm" },
  { scorers: ["judge.wide"], lower_is_better: ["judge.wide"] },
  { costs: true },
  { prices: { "bot:small": { input: 1, output: 2 }, "bot:new": { input: 0.85, output: 3.3 } } },
  { where: { model: ["bot:small", "bot:new"] } },
  { filters: PASSED, ...DERIVED, scorers: ["total"] },
  ...(
    [
      "pass_rate",
      "rows",
      "trials",
      "errors",
      "tokens",
      "latency",
      "name",
      "model",
      "scores.size",
      "started_at",
    ] as const
  ).map((field): LeaderboardRequest => ({ scorers: ["flag"], sort_by: [{ field, direction: "desc" }] })),
];

const NAMES = ["flag", "judge.rating", "judge.wide", "size", "some", "late", "judge.tone"];
/** Pairs of each two kinds of scores ask for several evaluations and for one with two trials a row, in turns. */
const AGREEMENTS: readonly AgreementRequest[] = [
  ...NAMES.flatMap((a, i) => NAMES.slice(i + 1).map((b) => ({ a, b }))).map((pair, i) => ({
    ...pair,
    evaluations: i % 2 === 0 ? ALL : ["e1"],
  })),
  ...[ALL, ["e1"]].flatMap((evaluations) => [
    { evaluations, a: "flag", b: "good", ...DERIVED },
    { evaluations, a: "total", b: "judge.wide", ...DERIVED, require_intersection: true },
    { evaluations, a: "flag", b: "late", filters: PASSED, confidence: 0.8 },
  ]),
];

describe.skipIf(noClickHouse !== null)(`every option on both engines${because(noClickHouse)}`, () => {
  let both: Both;
  beforeAll(async () => {
    const url = await sharedClickHouse();
    both = await openBoth(url, `options_${process.pid}`);
    await both.onFile.ingestCalls(CALLS);
    await both.onServer.ingestCalls(CALLS);
  });
  afterAll(() => both.close());

  async function hasSameAnswer(ask: (core: Both["onFile"] | Both["onServer"]) => Promise<unknown>) {
    const said = async (core: Both["onFile"] | Both["onServer"]) =>
      ask(core).then(
        (answer) => (typeof answer === "string" ? answer : JSON.stringify(answer)),
        (error: unknown) => String(error),
      );
    const [onFile, onServer] = await Promise.all([said(both.onFile), said(both.onServer)]);
    expect(onServer).toBe(onFile);
    return onFile;
  }

  it.concurrent.each(QUERIES.map((query) => [JSON.stringify(query), query] as const))(
    "query %s",
    async (_, query) => {
      const answer = await hasSameAnswer((core) =>
        core.queryEvalResultsJson(PROJECT, { ...query, evaluation_call_ids: ALL }),
      );
      expect(answer).not.toMatch(/^\w*Error/);
    },
  );

  it.concurrent.each(COMPARISONS.map((options) => [JSON.stringify(options), options] as const))(
    "comparison %s",
    async (_, options) => {
      for (const [baseline = "", ...candidates] of [ALL, ["e1", "e0"], ["e2", "e1"]]) {
        const request = { ...options, baseline, candidates };
        const answer = await hasSameAnswer((core) => core.compareEvaluations(PROJECT, request));
        expect(answer).not.toMatch(/^\w*Error/);
      }
    },
  );

  it("difficulty of rows, by evaluations that are not asked for", async () => {
    const field = { $getField: "row.difficulty.judge.rating" };
    const filters = [{ query: { $expr: { $lt: [field, { $literal: 1 }] as const } } }];
    const query = { evaluation_call_ids: ["e1"], include_summary: true, include_uncertainty: true, filters };
    const answers = [
      await hasSameAnswer((core) => core.queryEvalResultsJson(PROJECT, query)),
      await hasSameAnswer((core) =>
        core.compareEvaluations(PROJECT, { baseline: "e1", candidates: ["e0"], by: "row.difficulty" }),
      ),
    ];
    for (const answer of answers) expect(answer).not.toMatch(/^\w*Error/);
  });

  it.concurrent.each(LEADERBOARDS.map((request) => [JSON.stringify(request), request] as const))(
    "leaderboard %s",
    async (_, request) => {
      expect(await hasSameAnswer((core) => core.leaderboard(PROJECT, request))).not.toMatch(/^\w*Error/);
    },
  );

  it.concurrent.each(AGREEMENTS.map((request) => [JSON.stringify(request), request] as const))(
    "agreement %s",
    async (_, request) => {
      const answer = await hasSameAnswer((core) => core.agreement(PROJECT, request));
      // Texts, and flags with ratings, are refused.
      expect(answer).not.toMatch(/^(?!RequestError)\w*Error/);
    },
  );
});
