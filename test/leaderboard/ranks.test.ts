import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pairedDifference } from "../../src/stats/index.ts";
import { openEngine, type Engine } from "../../src/index.ts";
import { PROJECT } from "../support/records.ts";
import { booleans, run } from "../support/score-runs.ts";

const ROWS = 60;

/** Passes on all but the first `failed` rows, so that everything a better one fails a worse one fails too. */
const failing = (failed: number) => booleans("0".repeat(failed) + "1".repeat(ROWS - failed));

const RUNS = ["a", "b", "c", "d"];
const groupOf = (i: number) => Math.floor(i / 4);
const grouped = (i: number) => ({ i, group: groupOf(i) });

describe("evaluations that are ranked by all pairs", () => {
  let engine: Engine;

  beforeAll(async () => {
    engine = await openEngine();
    await engine.ingestCalls([
      ...run("a", failing(2), grouped),
      ...run("b", failing(5), grouped),
      ...run("c", failing(20), grouped),
      ...run("d", failing(55), grouped),
    ]);
  });
  afterAll(() => engine.close());

  const ranksOf = async (request: object) =>
    (await engine.leaderboard(PROJECT, request)).entries.map((one) => [
      one.evaluation_call_id,
      one.standing,
      one.rank_interval,
      one.tier,
    ]);

  it("have the places that no other is shown to take, and tiers", async () => {
    expect(await ranksOf({})).toEqual([
      ["a", "best", [1, 2], 1],
      ["b", "not_shown_worse", [1, 2], 1],
      ["c", "worse", [3, 3], 2],
      ["d", "worse", [4, 4], 3],
    ]);
  });

  it.each(["holm", "benjamini-hochberg", "none"])("are adjusted by %s on request", async (adjust) => {
    const ranks = await ranksOf({ adjust });
    // Three rows that all changed to one side: p = 0.125.
    expect(ranks[1]).toEqual(["b", "not_shown_worse", [1, 2], 1]);
    expect(ranks[3]).toEqual(["d", "worse", [4, 4], 3]);
  });

  it("are the same in a comparison whose baseline was chosen for its mean", async () => {
    const { ranks, adjust, family_size, comparisons } = await engine.compareEvaluations(PROJECT, {
      baseline: "a",
      candidates: ["b", "c", "d"],
      baseline_is_best: true,
    });
    const board = await engine.leaderboard(PROJECT, {});
    expect({ adjust, family_size }).toEqual({ adjust: board.adjust, family_size: board.family_size });
    expect(ranks?.map(({ scorer_key: _key, path: _path, ...rank }) => rank)).toEqual(
      board.entries.map((one) => ({
        evaluation_call_id: one.evaluation_call_id,
        standing: one.standing,
        rank_interval: one.rank_interval,
        tier: one.tier,
      })),
    );
    expect(comparisons).toEqual(board.entries.slice(1).map((one) => one.against_best));
  });

  it("are compared by the baseline alone where it was named", async () => {
    const { ranks, adjust, family_size } = await engine.compareEvaluations(PROJECT, {
      baseline: "a",
      candidates: RUNS.slice(1),
    });
    expect([ranks, adjust, family_size]).toEqual([null, "holm", 3]);
  });

  it("count clusters in means, ranks and comparisons alike", async () => {
    const cluster_by = "inputs.group";
    const values = failing(20).map(Number);
    const clusters = values.map((_, i) => groupOf(i));
    const zeros = values.map(() => 0);
    const { standard_error, confidence_interval } = pairedDifference(values, zeros, { clusterIds: clusters });
    const { summary } = await engine.queryEvalResults(PROJECT, {
      evaluation_call_ids: ["c"],
      include_rows: false,
      include_summary: true,
      include_uncertainty: true,
      cluster_by,
    });
    expect(summary?.evaluations[0]?.scorer_stats[0]).toMatchObject({
      standard_error: expect.closeTo(standard_error ?? 0, 12),
      confidence_interval: confidence_interval?.map((end) => expect.closeTo(end, 12)),
      interval_method: "clustered-t",
    });
    const { entries } = await engine.leaderboard(PROJECT, { cluster_by });
    expect(entries[2]?.scores[0]?.interval_method).toBe("clustered-t");
    expect(entries[2]?.against_best?.method).toBe("clustered-t");
    // Five clusters of fifteen moved, all to one side; rows alone would have shown it.
    expect(entries.map(({ standing }) => standing)).toEqual([
      "best",
      "not_shown_worse",
      "not_shown_worse",
      "worse",
    ]);
  });

  it("refuses a field that is none of the row, by name", async () => {
    // @ts-expect-error the types refuse it too
    await expect(engine.leaderboard(PROJECT, { cluster_by: "scores.score" })).rejects.toThrow(
      "cluster_by: rows cluster by a field of theirs, inputs.<path>",
    );
  });
});

it("is warned of a mean whose interval one row alone decides", async () => {
  const engine = await openEngine();
  await engine.ingestCalls([...run("a", [1, 2, 1, 2, 1, 2, 900]), ...run("b", [1, 2, 3, 4, 5, 6, 7])]);
  const { warnings } = await engine.leaderboard(PROJECT, {});
  await engine.close();
  // (900 − 129.86)² of Σ(x − 129.86)², by hand.
  expect(warnings).toEqual([
    '"a", score: one of 7 rows has 86% of the sum of squares around the mean, whose interval may be too narrow',
  ]);
});
