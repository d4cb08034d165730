import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { QUERY_SETTINGS } from "../../src/clickhouse/read/session.ts";
import type { ClickHouse } from "../../src/clickhouse/server/client.ts";
import type { EvalResultsRequest } from "../../src/index.ts";
import { hashKey } from "../../src/model/digest.ts";
import { sharedCluster } from "../support/clickhouse-cluster.ts";
import { noClickHouse, sharedClickHouse } from "../support/clickhouse-server.ts";
import { openNoting, type Sent } from "../support/noted-statements.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { because } from "../support/skipped.ts";

const IDS = ["e", "f"];
const CALLS = IDS.flatMap((id) => [
  root(id),
  ...Array.from({ length: 8 }, (_, i) =>
    trial(
      `${id}-${i}`,
      { i: i % 5, text: "a" },
      { ok: i % 3 === 0, judge: { score: i / 4, tone: "calm", list: [i] } },
      { parent_id: id },
    ),
  ),
]);

const ALL = { evaluation_call_ids: IDS };
const REQUESTS: readonly EvalResultsRequest[] = [
  { ...ALL, include_raw_data_rows: true, resolve_row_refs: true, include_trial_errors: true },
  { ...ALL, require_intersection: true, sort_by: [{ field: "scores.judge.score", mode: "difference" }] },
  { ...ALL, sort_by: [{ field: "outputs.x" }, { field: "inputs.i" }, { field: "scores.judge.list.0" }] },
  { ...ALL, search: "a", moved: { field: "scores.ok" }, missing: { field: "scores.judge.score" } },
  {
    ...ALL,
    include_summary: true,
    include_uncertainty: true,
    pass_k: [1, 2],
    histogram_bins: 5,
    include_usage: true,
    include_row_counts: true,
    derived_scores: { twice: "2 * scores.judge.score" },
  },
  { ...ALL, include_feedback: true, include_summary: true },
  ...(["any", "all", "first", "mean"] as const).map((quantifier): EvalResultsRequest => ({
    ...ALL,
    filters: [
      { query: { $expr: { $gt: [{ $getField: "scores.judge.score" }, { $literal: 0.3 }] } }, quantifier },
      { query: { $expr: { $eq: [{ $getField: "inputs.text" }, { $literal: "a" }] } } },
    ],
  })),
];

const ON = [
  { on: "one server", server: async () => ({ url: await sharedClickHouse() }) },
  { on: "a cluster", server: sharedCluster },
];

describe.skipIf(noClickHouse !== null).each(ON)(
  `the statements of every question on $on${because(noClickHouse)}`,
  ({ server: place }) => {
    const sent: Sent[] = [];
    const schema = `statements_${process.pid}`;
    let client: ClickHouse;
    let close: () => Promise<void>;

    beforeAll(async () => {
      const options = { ...(await place()), database: schema };
      const core = await openNoting(options, sent);
      client = core.client;
      close = core.close;
      await core.ingestCalls([
        ...CALLS,
        { ...trial("failed", { i: 9 }), output: null, exception: "too long" },
      ]);
      // A call that comes later ends a version of a trial.
      await core.ingestCalls([
        { ...trial("e-0", { i: 0 }), parent_id: "e", ended_at: "2026-01-02T00:00:00Z" },
      ]);
      for (const request of REQUESTS) await core.queryEvalResultsJson(PROJECT, request);
      await core.listEvaluations(PROJECT);
      await core.queryTable(PROJECT, ALL);
      await core.compareEvaluations(PROJECT, { baseline: "e", candidates: ["f"] });
      await core.leaderboard(PROJECT);
      await core.agreement(PROJECT, { evaluations: IDS, a: "ok", b: "judge.score" });
    });
    afterAll(() => close());

    it("read every table in one project alone", () => {
      const read = sent.flatMap(({ statement }) => [
        ...statement.matchAll(
          new RegExp(String.raw`\b${schema}(?:_shard)?\.(\w+)(?: AS (\w+))?([^]{0,60})`, "g"),
        ),
      ]);
      const others = read.filter(
        ([, table = "", alias = "", rest = ""]) =>
          table !== "loads" &&
          !rest.startsWith(` WHERE ${alias}.project_key = ${hashKey(PROJECT, "")} AND `) &&
          !(table === "feedback" && rest.startsWith(` WHERE ${alias}.project_id = {own_project:String} `)),
      );
      expect(others.map(([text]) => text)).toEqual([]);
      expect(new Set(read.map(([, table]) => table))).toEqual(
        new Set([
          ..."trials trial_texts scores null_scores errored_trials rows row_digests call_steps".split(" "),
          ..."evaluations score_paths projects gone fragments call_groups merged_calls feedback".split(" "),
        ]),
      );
    });

    it("sum integers in words that hold the sum", async () => {
      const narrow: string[] = [];
      let sums = 0;
      for (const { statement, bound } of sent) {
        const tree = await client.rows(`EXPLAIN QUERY TREE ${statement}`, bound, {
          settings: QUERY_SETTINGS,
        });
        const lines = tree.map(([line]) => String(line)).filter((line) => /function_name: sum\b/.test(line));
        sums += lines.length;
        if (lines.some((line) => /result_type: (?:Nullable\()?Int64/.test(line))) narrow.push(statement);
      }
      expect(narrow).toEqual([]);
      expect(sums).toBeGreaterThan(20);
    });
  },
);
