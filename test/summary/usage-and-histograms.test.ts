import { beforeAll, afterAll, describe, expect, it } from "vitest";
import { openEngine, type Engine, type EvalResultsRequest } from "../../src/index.ts";
import { studentInterval } from "../../src/stats/index.ts";
import { call, PROJECT, root, trial } from "../support/records.ts";

/** A trial with a predict call of so many seconds and tokens; null leaves them out. */
function used(
  id: string,
  of: string,
  row: number,
  scores: Readonly<Record<string, unknown>>,
  seconds: number | null,
  tokens: number | null,
) {
  const start = Date.UTC(2026, 0, 1);
  const usage = tokens === null ? {} : { summary: { usage: { m: { total_tokens: tokens } } } };
  return [
    trial(id, { row }, scores, { parent_id: of, summary: { usage: { m: { total_tokens: 1000 } } } }),
    call(`${id}-p`, {
      parent_id: id,
      op_name: "Model.predict",
      started_at: new Date(start).toISOString(),
      ended_at: seconds === null ? null : new Date(start + seconds * 1000).toISOString(),
      ...usage,
    }),
  ];
}

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine();
  await engine.ingestCalls([
    ...["a", "b", "texts", "empty"].map((id) => root(id)),
    ...used("a1", "a", 1, { part: 0, ok: true, same: 5, mixed: 2, word: "x" }, 1, 10),
    ...used("a2", "a", 1, { part: 0.5, ok: false, same: 5, mixed: 4 }, 2, 30),
    ...used("a3", "a", 1, { part: 0.25, same: 5 }, null, null),
    ...used("a4", "a", 2, { part: 0.25, same: 5, mixed: 8 }, 4, null),
    ...used("a5", "a", 3, { part: 0.74 }, null, null),
    ...used("b1", "b", 1, { part: 0.75, same: 5, mixed: true }, 0, 1),
    ...used("b2", "b", 2, { part: 1, same: 5, mixed: false }, 0, 0),
    ...used("b3", "b", 3, { part: 1, same: 5, mixed: true }, 0, 1),
    trial("t1", { row: 1 }, { part: "none" }, { parent_id: "texts" }),
  ]);
});
afterAll(() => engine.close());

async function summary(request: EvalResultsRequest) {
  const response = await engine.queryEvalResults(PROJECT, {
    evaluation_call_ids: ["a", "b", "texts", "empty"],
    include_rows: false,
    include_summary: true,
    ...request,
  });
  return response.summary?.evaluations ?? [];
}

async function rowCounts(request: EvalResultsRequest) {
  const evaluations = await summary({ include_row_counts: true, ...request });
  return evaluations.map((one) => one.row_count);
}

describe("include_row_counts", () => {
  it("counts the rows of the summary that each evaluation tried, however many trials they have", async () => {
    expect(await rowCounts({})).toEqual([3, 3, 1, 0]);
    const first = { $eq: [{ $getField: "inputs.row" }, { $literal: 1 }] } as const;
    expect(await rowCounts({ filters: [{ query: { $expr: first } }] })).toEqual([1, 1, 1, 0]);
    expect(await rowCounts({ evaluation_call_ids: ["a", "texts"], require_intersection: true })).toEqual([
      1, 1,
    ]);
    expect(await rowCounts({ evaluation_call_ids: ["b"], filters: [{ query: { $expr: first } }] })).toEqual([
      1,
    ]);
  });

  it("stands with other statistics, and is left out where it is not asked for", async () => {
    const [a] = await summary({ include_row_counts: true, include_uncertainty: true, include_usage: true });
    expect([a?.row_count, a?.usage?.latency_seconds?.known_count]).toEqual([3, 2]);
    expect(await summary({ include_usage: true })).not.toHaveProperty("0.row_count");
  });
});

describe("include_usage", () => {
  it("gives the mean, interval and percentiles over rows, a row's value being the mean of its trials that have one", async () => {
    const [a] = await summary({ include_usage: true });
    expect(a?.usage).toMatchObject({
      latency_seconds: {
        mean: 2.75,
        confidence_interval: studentInterval(2.75, 1.25, 1),
        p50: 2.75,
        p90: expect.closeTo(3.75, 12) as number,
        known_count: 2,
      },
      total_tokens: { mean: 20, confidence_interval: null, p50: 20, p90: 20, known_count: 1 },
    });
  });

  it("takes Student's interval also where all values are 0 or 1, and none where they are alike", async () => {
    const [, b] = await summary({ include_usage: true });
    expect(b?.usage?.total_tokens).toMatchObject({
      mean: 2 / 3,
      confidence_interval: studentInterval(2 / 3, 1 / 3, 2),
    });
    expect(b?.usage?.latency_seconds).toEqual({
      mean: 0,
      confidence_interval: null,
      p50: 0,
      p90: 0,
      known_count: 3,
    });
  });

  it("is null where no row has a value, also in an evaluation without trials", async () => {
    const [, , texts, empty] = await summary({ include_usage: true });
    for (const one of [texts, empty])
      expect(one?.usage).toMatchObject({ latency_seconds: null, total_tokens: null });
  });

  it("reads the trial's own call where children are left out", async () => {
    const [a] = await summary({ include_usage: true, include_predict_and_score_children: false });
    expect(a?.usage).toMatchObject({ latency_seconds: null, total_tokens: { mean: 1000, known_count: 3 } });
  });

  it("covers the rows that the filters and the intersection of the summary keep", async () => {
    const wanted = { $gt: [{ $getField: "scores.part" }, { $literal: 0.9 }] } as const;
    const [, filtered] = await summary({ include_usage: true, filters: [{ query: { $expr: wanted } }] });
    expect(filtered?.usage?.total_tokens).toMatchObject({ mean: 0.5, known_count: 2 });
    const [common] = await summary({
      evaluation_call_ids: ["a", "texts"],
      include_usage: true,
      summary_require_intersection: true,
    });
    expect(common?.usage?.latency_seconds).toMatchObject({ mean: 1.5, known_count: 1 });
  });

  it("is absent unless it is asked for", async () => {
    for (const one of await summary({ include_uncertainty: true })) expect(one).not.toHaveProperty("usage");
  });
});

async function histograms(request: EvalResultsRequest) {
  const evaluations = await summary(request);
  return (key: string) =>
    evaluations.map((one) => one.scorer_stats.find(({ scorer_key }) => scorer_key === key)?.histogram);
}

describe("histogram_bins", () => {
  it("counts row values in bins that begin with their lower edge, on edges that all evaluations share", async () => {
    const of = await histograms({ histogram_bins: 3 });
    const edges = [0.25, 0.5, 0.75, 1];
    expect(of("part")).toEqual([
      { edges, counts: [2, 1, 0] },
      { edges, counts: [0, 0, 3] },
      { edges, counts: [0, 0, 0] },
      undefined,
    ]);
  });

  it("puts rows that are all alike into the last bin, between edges that are all alike", async () => {
    const of = await histograms({ histogram_bins: 2 });
    const edges = [5, 5, 5];
    expect(of("same")).toEqual([{ edges, counts: [0, 2] }, { edges, counts: [0, 3] }, undefined, undefined]);
  });

  it("counts true as 1 and false as 0 where another evaluation has numbers", async () => {
    const of = await histograms({ histogram_bins: 4 });
    const edges = [0, 2, 4, 6, 8];
    expect(of("mixed")).toEqual([
      { edges, counts: [0, 1, 0, 1] },
      { edges, counts: [3, 0, 0, 0] },
      undefined,
      undefined,
    ]);
  });

  it("leaves out dimensions without a number", async () => {
    const of = await histograms({ histogram_bins: 2 });
    expect([...of("ok"), ...of("word")].every((one) => one === undefined)).toBe(true);
  });

  it("bins derived scores, and the rows that filters keep", async () => {
    const of = await histograms({
      histogram_bins: 1,
      derived_scores: { double: "2 * part" },
      filters: [
        {
          evaluation_call_id: "a",
          query: { $expr: { $gt: [{ $getField: "scores.double" }, { $literal: 1 }] } },
        },
      ],
    });
    expect(of("double")).toEqual([
      { edges: [1.48, 2], counts: [1] },
      { edges: [1.48, 2], counts: [1] },
      undefined,
      undefined,
    ]);
  });

  it("has edges that are the nearest doubles, whatever the size of the values", async () => {
    const extreme = await openEngine();
    try {
      const values = {
        wide: [-1.7e308, 1.7e308, 5e-324],
        tiny: [5e-324, 0, 2e-323],
        tenths: [0.1, 0.9, 0.2],
      };
      await extreme.ingestCalls(
        [0, 1, 2].map((row) =>
          trial(`x${row}`, { row }, Object.fromEntries(Object.entries(values).map(([k, v]) => [k, v[row]])), {
            parent_id: "x",
          }),
        ),
      );
      const { summary: found } = await extreme.queryEvalResults(PROJECT, {
        evaluation_call_ids: ["x"],
        include_summary: true,
        histogram_bins: 8,
      });
      const histogram = Object.fromEntries(
        found?.evaluations[0]?.scorer_stats.map((one) => [one.scorer_key, one.histogram]) ?? [],
      );
      expect(histogram["tenths"]).toEqual({
        edges: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9].map((x) => expect.closeTo(x, 15) as number),
        counts: [1, 1, 0, 0, 0, 0, 0, 1],
      });
      expect(histogram["tiny"]).toEqual({
        edges: [0, 0, 5e-324, 1e-323, 1e-323, 1e-323, 1.5e-323, 2e-323, 2e-323],
        counts: [0, 1, 1, 0, 0, 0, 0, 1],
      });
      expect(histogram["wide"]?.edges).toEqual([-4, -3, -2, -1, 0, 1, 2, 3, 4].map((x) => (x / 4) * 1.7e308));
      expect(histogram["wide"]?.counts).toEqual([1, 0, 0, 0, 1, 0, 0, 1]);
    } finally {
      await extreme.close();
    }
  });
});
