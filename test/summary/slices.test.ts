import { describe, expect, it } from "vitest";
import type { Engine, EvalResultsRequest, Filter } from "../../src/index.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { loaded } from "../support/score-runs.ts";

const SEED = Number(process.env["SEED"] ?? Math.floor(Math.random() * 1e9));

interface Row {
  readonly i: number;
  readonly topic: unknown;
  readonly tags: readonly string[];
  readonly group: number;
}

interface Means {
  readonly row_mean?: number | null | undefined;
  readonly confidence_interval?: readonly number[] | null | undefined;
}

function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function randomCalls(random: () => number): { readonly rows: readonly Row[]; readonly calls: object[] } {
  const one = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const rows = Array.from({ length: 40 }, (_, i): Row => ({
    i,
    topic: one([1, "1", true, "law", "maths", null]),
    tags: [one(["a", "b"]), one(["b", "c"])],
    group: Math.floor(random() * 9),
  }));
  const calls = ["e", "f"].flatMap((id) => [
    root(id),
    ...rows.flatMap((row) =>
      Array.from({ length: Math.floor(random() * 3) }, (_, k) => {
        const scores = { ok: random() < 0.6, points: one([0.1, 0.25, 3, random()]), word: "x" };
        return trial(`${id}-${row.i}-${k}`, row, scores, { parent_id: id });
      }),
    ),
  ]);
  return { rows, calls };
}

const only = (rows: readonly Row[]): Filter => ({
  query: { $expr: { $in: [{ $getField: "inputs.i" }, rows.map(({ i }) => ({ $literal: i }))] } },
});

/** The mean and the ends of its interval, null where there are none. */
function numbersOf(one: Means | undefined): (number | null)[] {
  return [one?.row_mean, one?.confidence_interval?.[0], one?.confidence_interval?.[1]].map(
    (value) => value ?? null,
  );
}

const near = (value: number | null) => (value === null ? null : (expect.closeTo(value, 12) as number));

async function summaryOf(engine: Engine, more: EvalResultsRequest) {
  const { summary, warnings } = await engine.queryEvalResults(PROJECT, {
    evaluation_call_ids: ["e", "f"],
    include_rows: false,
    include_summary: true,
    include_uncertainty: true,
    ...more,
  });
  if (summary === null) throw new Error("no summary");
  return { summary, warnings };
}

describe(`the slices of a summary (SEED=${SEED})`, () => {
  for (const cluster of [null, "inputs.group"] as const)
    for (const [by, of] of [
      ["inputs.topic", (row: Row) => (row.topic === null ? [] : [row.topic])],
      ["inputs.tags", (row: Row) => [...new Set(row.tags)]],
    ] as const)
      it(`by ${by} are what a filter gives${cluster === null ? "" : ", over clusters"}`, async () => {
        const { rows, calls } = randomCalls(randomOf(SEED));
        const engine = await loaded(calls);
        const { summary } = await summaryOf(engine, { by, cluster_by: cluster });
        const { slicing } = summary;
        expect(slicing).toMatchObject({ fields: [by], overlapping: by === "inputs.tags", others: [] });
        for (const [i, { value, row_count: count }] of (slicing?.values ?? []).entries()) {
          const inside = rows.filter((row) => of(row).some((one) => one === value[0]));
          const { summary: alone } = await summaryOf(engine, {
            filters: [only(inside)],
            cluster_by: cluster,
          });
          expect(count).toBe(alone.row_count);
          for (const evaluation of summary.evaluations)
            for (const stats of evaluation.scorer_stats) {
              const found = alone.evaluations
                .find((one) => one.evaluation_call_id === evaluation.evaluation_call_id)
                ?.scorer_stats.find((one) => one.scorer_key === stats.scorer_key);
              const slice = stats.slices?.[i];
              if (slice?.descriptive === true) throw new Error("slices of rows do not describe");
              expect(slice?.value).toEqual(value);
              expect(slice).toMatchObject({
                trial_count: found?.trial_count ?? 0,
                scored_row_count: found?.scored_row_count ?? 0,
                pass_rate: found?.pass_rate ?? null,
              });
              expect(numbersOf(slice)).toEqual(numbersOf(found).map(near));
            }
        }
      });

  it("come without intervals where no uncertainty is asked for, and in a leaderboard", async () => {
    const { calls } = randomCalls(randomOf(SEED));
    const engine = await loaded(calls);
    const { summary } = await summaryOf(engine, { by: "inputs.topic", include_uncertainty: false });
    const [first] = summary.evaluations[0]?.scorer_stats[0]?.slices ?? [];
    expect(Object.keys(first ?? {})).toEqual([
      "value",
      "trial_count",
      "scored_row_count",
      "row_mean",
      "pass_rate",
    ]);
    const { summary: whole } = await summaryOf(engine, { by: "inputs.topic" });
    const board = await engine.leaderboard(PROJECT, { by: "inputs.topic", scorers: ["ok"] });
    expect(board.slicing).toEqual(whole.slicing);
    for (const entry of board.entries) {
      const own = whole.evaluations.find((one) => one.evaluation_call_id === entry.evaluation_call_id);
      expect(entry.scores[0]?.slices).toEqual(
        own?.scorer_stats.find((one) => one.scorer_key === "ok")?.slices,
      );
    }
  });

  it("are refused where nothing could be said, before anything is written", async () => {
    const engine = await loaded(randomCalls(randomOf(SEED)).calls);
    const ask = (more: EvalResultsRequest) =>
      summaryOf(engine, more).then(
        () => "answered",
        (error: Error) => error.message,
      );
    expect(await ask({ by: "inputs.topc", include_rows: true })).toBe(
      'by: no row of the requested evaluations has inputs.topc; did you mean "inputs.topic"?',
    );
    expect(await ask({ by: "inputs.tags.9" })).toContain("inputs.tags.9");
    expect(await ask({ by: "attributes.shard" })).toContain(
      "no row has a text, number, true or false at attributes.shard",
    );
    expect(await ask({ by: ["inputs.topic", "inputs.tags", "inputs.i"] })).toContain(
      "of one field or of 2, not of 3",
    );
    // @ts-expect-error the types refuse it too
    expect(await ask({ by: "scores.ok" })).toContain(
      'there are no slices by "scores.ok"; there are inputs.<path>, attributes.<path>',
    );
    expect(await ask({ by: "inputs.topic", include_summary: false })).toContain("ask for include_summary");
    expect(await ask({ max_slices: 3 })).toContain("goes with by: a field");
    expect(await ask({ by: "inputs.topic", max_slices: 0 })).toContain("max_slices");
    const { warnings } = await summaryOf(engine, { by: "inputs.i" });
    expect(warnings.join()).toContain("values of inputs.i have one row only, so it does not group the rows");
  });
});
