import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine, type Engine, type IngestResult, type Json } from "../../src/index.ts";
import type { ScorerStats, Summary } from "../../src/respond/summary/scorer-stats.ts";
import {
  DATA_SETS,
  SHARED_DATA as DATA,
  sharedDataMissing,
  sharedDataOptional,
} from "../support/shared-data.ts";
import { because } from "../support/skipped.ts";

interface Check {
  readonly evaluation_call_id: string;
  readonly scorer_key: string;
  readonly path: readonly string[];
  readonly stat: string;
  readonly value: number;
  readonly tolerance: number;
  readonly source: string;
  readonly scope?: { readonly filter: Readonly<Record<string, string>> };
}

interface Expected {
  readonly project_id: string;
  readonly counts: {
    readonly trials: number;
    readonly evaluations: number;
    readonly calls: number;
    readonly rows: number;
  };
  readonly checks: readonly Check[];
}

function expectedOf(set: string): Expected {
  return JSON.parse(readFileSync(new URL(`${set}/expected.json`, DATA), "utf8")) as Expected;
}

const PLAIN_STATS = new Set([
  "pass_rate",
  "numeric_mean",
  "trial_count",
  "pass_true_count",
  "pass_known_count",
  "numeric_count",
  "pass_signal_coverage",
]);

it("finds the real evaluation results, which CI must have", ({ skip }) => {
  skip(sharedDataMissing !== null && sharedDataOptional, sharedDataMissing ?? "");
  expect(sharedDataMissing).toBeNull();
});

describe.skipIf(sharedDataMissing !== null).each(DATA_SETS)(`%s${because(sharedDataMissing)}`, (set) => {
  let engine: Engine;
  let expected: Expected;
  let calls: IngestResult;

  beforeAll(async () => {
    engine = await openEngine();
    expected = expectedOf(set);
    const path = (name: string) => new URL(`${set}/${name}.ndjson.gz`, DATA).pathname;
    calls = await engine.ingestCalls(path("calls"));
    await engine.ingestRows(path("rows"));
  });
  afterAll(() => engine.close());

  it("loads every call", () => {
    const count = expected.counts.calls;
    expect(calls).toMatchObject({
      received: count,
      stored: count,
      unchanged: 0,
      rejected: [],
      unknown_members: {},
      unattached: 0,
    });
  });

  it("lists every evaluation with its trials", async () => {
    const list = await engine.listEvaluations(expected.project_id);
    expect(list).toHaveLength(expected.counts.evaluations);
    expect(list.reduce((sum, one) => sum + one.trial_count, 0)).toBe(expected.counts.trials);
  });

  it("gives the published and recomputed figures", async () => {
    const ids = (await engine.listEvaluations(expected.project_id)).map((one) => one.id);
    const summaries = new Map<string, Summary | null>();
    const checks = expected.checks.filter(({ stat }) => PLAIN_STATS.has(stat) || stat.startsWith("pass^"));
    for (const check of checks) {
      const scope = check.scope?.filter ?? {};
      if (summaries.has(JSON.stringify(scope))) continue;
      const { summary } = await engine.queryEvalResults(expected.project_id, {
        evaluation_call_ids: ids,
        include_rows: false,
        include_summary: true,
        pass_k: [1, 2, 3, 4],
        filters: Object.entries(scope).map(([field, value]) => ({
          query: { $expr: { $eq: [{ $getField: field }, { $literal: value }] } },
        })),
      });
      summaries.set(JSON.stringify(scope), summary);
    }
    const stats = (check: Check): ScorerStats | undefined =>
      summaries
        .get(JSON.stringify(check.scope?.filter ?? {}))
        ?.evaluations.find((one) => one.evaluation_call_id === check.evaluation_call_id)
        ?.scorer_stats.find(
          (one) =>
            one.scorer_key === check.scorer_key &&
            one.path === (check.path.length === 0 ? null : check.path.join(".")),
        );
    for (const check of checks) {
      const [, k] = check.stat.split("^");
      const found = stats(check);
      const value = k === undefined ? found?.[check.stat as keyof ScorerStats] : found?.pass_hat_k?.[k];
      expect(Math.abs(Number(value) - check.value), JSON.stringify(check)).toBeLessThanOrEqual(
        check.tolerance + 1e-12,
      );
    }
    expect(checks.length).toBeGreaterThan(0);
  });

  it("answers all rows with trials and resolved dataset rows", async () => {
    const ids = (await engine.listEvaluations(expected.project_id)).map((one) => one.id);
    const response = await engine.queryEvalResults(expected.project_id, {
      evaluation_call_ids: ids,
      include_raw_data_rows: true,
      resolve_row_refs: true,
    });
    expect(response.total_rows).toBe(expected.counts.rows);
    expect(response.warnings).toEqual([]);
    expect(
      response.rows.every((row) => typeof row.raw_data_row === "object" && row.raw_data_row !== null),
    ).toBe(true);
    const trials = response.rows.flatMap((row) => row.evaluations.flatMap((one) => one.trials));
    expect(trials).toHaveLength(expected.counts.trials);
    const values: Json[] = trials.map((trial) => trial.predict_call_id);
    expect(values.every((id) => typeof id === "string")).toBe(true);
  });
});

it.skipIf(sharedDataMissing !== null)(
  `finds the 681 rows that all models of ZeroEval share, with the digests that others computed${because(sharedDataMissing)}`,
  async () => {
    const engine = await openEngine();
    const { project_id } = expectedOf("zeroeval-gsm");
    await engine.ingestCalls(new URL("zeroeval-gsm/calls.ndjson.gz", DATA).pathname);
    const ids = (await engine.listEvaluations(project_id)).map((one) => one.id);
    const common = await engine.queryEvalResults(project_id, {
      evaluation_call_ids: ids,
      require_intersection: true,
      limit: 1,
    });
    expect(common.total_rows).toBe(681);
    const rows = await engine.ingestRows(new URL("zeroeval-gsm/rows.ndjson.gz", DATA).pathname);
    expect(rows.stored).toBe(1319);
    const all = await engine.queryEvalResults(project_id, { evaluation_call_ids: ids, limit: 0 });
    expect(all.total_rows).toBe(1319);
    await engine.close();
  },
);
