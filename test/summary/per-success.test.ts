import { describe, expect, it } from "vitest";
import type { Engine, EvalResultsRequest } from "../../src/index.ts";
import { studentTQuantile } from "../../src/stats/index.ts";
import { seededRandom } from "../../src/stats/numeric/random.ts";
import { call, PROJECT, root, trial } from "../support/records.ts";
import { loaded } from "../support/score-runs.ts";

const SEED = Number(process.env["SEED"] ?? 42);
const START = Date.UTC(2026, 0, 1);

interface Made {
  readonly of: string;
  readonly row: number;
  readonly passed: boolean | null;
  readonly seconds: number | null;
  readonly tokens: number | null;
}

function calls(
  made: readonly Made[],
  scoresOf = ({ passed }: Made): Readonly<Record<string, unknown>> => (passed === null ? {} : { ok: passed }),
) {
  const ids = [...new Set(made.map(({ of }) => of))];
  return [
    ...ids.map((id) => root(id)),
    ...made.flatMap((one, i) => [
      trial(`t${i}`, { row: one.row }, scoresOf(one), { parent_id: one.of }),
      call(`t${i}-p`, {
        parent_id: `t${i}`,
        op_name: "Model.predict",
        started_at: new Date(START).toISOString(),
        ended_at: one.seconds === null ? null : new Date(START + one.seconds * 1000).toISOString(),
        ...(one.tokens === null ? {} : { summary: { usage: { m: { total_tokens: one.tokens } } } }),
      }),
    ]),
  ];
}

async function perSuccess(engine: Engine, ids: readonly string[], request: EvalResultsRequest = {}) {
  const { summary } = await engine.queryEvalResults(PROJECT, {
    evaluation_call_ids: ids,
    include_rows: false,
    include_summary: true,
    include_usage: true,
    ...request,
  });
  return (summary?.evaluations ?? []).map(({ usage }) => usage?.per_success ?? null);
}

/** The rule, trial by trial. */
function byRule(made: readonly Made[], of: string, read: (one: Made) => number | null) {
  const own = made.filter((one) => one.of === of);
  const known = own.flatMap((one) => {
    const value = read(one);
    return value === null ? [] : [{ row: one.row, value, passed: Number(one.passed === true) }];
  });
  const total = known.reduce((sum, { value }) => sum + value, 0);
  const successes = known.reduce((sum, { passed }) => sum + passed, 0);
  const rows = [...new Set(known.map(({ row }) => row))].map((row) => {
    const trials = known.filter((one) => one.row === row);
    return {
      x: trials.reduce((sum, { value }) => sum + value, 0),
      y: trials.reduce((sum, { passed }) => sum + passed, 0),
    };
  });
  const n = rows.length;
  const ratio = total / successes;
  const squares = rows.reduce((sum, { x, y }) => sum + (x - ratio * y) ** 2, 0);
  const s = Math.sqrt((n / (n - 1)) * squares) / total;
  const factor = Math.exp(studentTQuantile(0.975, n - 1) * s);
  const isNull = rows.filter(({ y }) => y > 0).length < 5 || s === 0;
  return {
    value: successes === 0 ? null : near(ratio, 9),
    confidence_interval: isNull ? null : [near(ratio / factor, 6), near(ratio * factor, 6)],
    total: known.length === 0 ? null : near(total, 9),
    successes,
    trial_count: own.length,
    known_count: known.length,
  };
}

function near(value: number, digits: number): unknown {
  return expect.closeTo(value, digits);
}

/** Means over rows of the means of trials that say it. */
function meanOf(made: readonly Made[], of: string, read: (one: Made) => number | null): number | null {
  const rows = new Map<number, number[]>();
  for (const one of made.filter((own) => own.of === of)) {
    const value = read(one);
    if (value !== null) rows.set(one.row, [...(rows.get(one.row) ?? []), value]);
  }
  const means = [...rows.values()].map((values) => values.reduce((sum, one) => sum + one, 0) / values.length);
  return means.length === 0 ? null : means.reduce((sum, one) => sum + one, 0) / means.length;
}

const passes = ({ passed }: Made) => (passed === null ? null : Number(passed));

const timed = (passed: boolean, row: number): Made => ({
  of: "a",
  row,
  passed,
  seconds: 1 + row,
  tokens: null,
});

const severalScores = ({ row, passed }: Made) => ({
  a_text: "yes",
  b_number: row,
  c_mixed: row === 0 ? true : "no",
  judge: { won: Number(row < 2), share: 0.5 },
  ok: passed,
});

describe(`what a success took (SEED=${SEED})`, () => {
  it("is the sum over all trials that say it, for each that passed, with an interval over rows", async () => {
    const random = seededRandom(SEED);
    const made = ["a", "b", "c"].flatMap((of, e) =>
      Array.from({ length: 30 + 15 * e }, (): Made => {
        const row = Math.floor(random() * 20);
        const passed = random() < 0.1 ? null : random() < 0.3 + 0.2 * e;
        const seconds = random() < 0.2 ? null : Math.round(random() * 5000) / 1000;
        return { of, row, passed, seconds, tokens: random() < 0.2 ? null : Math.round(1000 * random()) };
      }),
    );
    const engine = await loaded(calls(made));
    const found = await perSuccess(engine, ["a", "b", "c"]);
    const reads = { total_tokens: (one: Made) => one.tokens, latency_seconds: (one: Made) => one.seconds };
    for (const [i, of] of ["a", "b", "c"].entries())
      for (const [name, read] of Object.entries(reads)) {
        const own = { mean: meanOf(made, of, passes) ?? -1, used: meanOf(made, of, read) ?? -1 };
        const others = ["a", "b", "c"]
          .map((id) => ({ id, mean: meanOf(made, id, passes) ?? -1, used: meanOf(made, id, read) ?? -1 }))
          .filter(({ mean, used }) => mean >= own.mean && used <= own.used)
          .filter(({ mean, used }) => mean > own.mean || used < own.used)
          .toSorted((a, b) => b.mean - a.mean || a.used - b.used);
        expect(found[i]?.success).toBe("ok");
        expect(found[i]?.[name === "total_tokens" ? "total_tokens" : "latency_seconds"]).toEqual({
          ...byRule(made, of, read),
          dominated_by: others[0]?.id ?? null,
        });
      }
  });

  it("is null without a success, and has no interval where fewer than five rows have one", async () => {
    const some = [0, 1, 2, 3].map((row) => timed(true, row));
    const failing = [4, 5, 6].map((row) => timed(false, row));
    const [four] = await perSuccess(await loaded(calls([...some, ...failing])), ["a"]);
    expect(four?.latency_seconds).toMatchObject({
      value: 7,
      confidence_interval: null,
      successes: 4,
      total: 28,
    });
    expect(four?.total_tokens).toEqual({
      value: null,
      confidence_interval: null,
      total: null,
      successes: 0,
      trial_count: 7,
      known_count: 0,
      dominated_by: null,
    });
    const [none] = await perSuccess(await loaded(calls(failing)), ["a"]);
    expect(none?.latency_seconds).toMatchObject({ value: null, total: 18, successes: 0 });
    const same = Array.from({ length: 9 }, (_, row) => ({ ...timed(true, row), seconds: 0.1 }));
    const [alike] = await perSuccess(await loaded(calls(same)), ["a"]);
    expect(alike?.latency_seconds).toMatchObject({ value: 0.1, confidence_interval: null });
  });

  it("takes the first score by name that is true and false, or 0 and 1, alone; another is named, or refused", async () => {
    const rows = Array.from({ length: 6 }, (_, row) => row);
    const made = rows.map((row): Made => ({ of: "a", row, passed: row < 4, seconds: 1, tokens: 10 }));
    const engine = await loaded(calls(made, severalScores));
    expect((await perSuccess(engine, ["a"]))[0]).toMatchObject({
      success: "judge.won",
      total_tokens: { value: 30, successes: 2 },
    });
    expect((await perSuccess(engine, ["a"], { success: "ok" }))[0]).toMatchObject({
      success: "ok",
      total_tokens: { value: 15, successes: 4 },
    });
    for (const success of ["a_text", "b_number", "c_mixed", "judge.share"])
      await expect(perSuccess(engine, ["a"], { success })).rejects.toThrow(
        `success: ${success} has other values than true and false, or 0 and 1, in these evaluations, or none`,
      );
    await expect(perSuccess(engine, ["a"], { success: "okay" })).rejects.toThrow('there is no score "okay"');
    await expect(perSuccess(engine, ["a"], { success: "okay", include_usage: false })).rejects.toThrow(
      "okay",
    );
    const nothing = await loaded(calls(made, () => ({ share: 0.5 })));
    expect(await perSuccess(nothing, ["a"])).toEqual([null]);
  });

  it("counts no trial that failed as one that did not pass, whatever it counts as elsewhere", async () => {
    const made = Array.from({ length: 8 }, (_, row): Made => ({
      of: "a",
      row,
      passed: row < 5 ? true : null,
      seconds: 2,
      tokens: 1,
    }));
    const engine = await loaded(calls(made));
    const plain = await perSuccess(engine, ["a"]);
    expect(plain[0]?.total_tokens).toMatchObject({ value: 8 / 5, successes: 5, known_count: 8 });
    expect(await perSuccess(engine, ["a"], { count_errors_as: 0, count_nulls_as: 0 })).toEqual(plain);
  });

  it("is of the rows of the summary, and also of money and of scores that are computed", async () => {
    const made = ["a", "b"].flatMap((of) =>
      Array.from({ length: 12 }, (_, row): Made => ({
        of,
        row,
        passed: row % 3 > 0,
        seconds: row,
        tokens: 10 + row,
      })),
    );
    const engine = await loaded(calls(made));
    const few = { $lt: [{ $getField: "inputs.row" }, { $literal: 6 }] } as const;
    const prices = { m: { input: 1, output: 1 } };
    const [a] = await perSuccess(engine, ["a", "b"], {
      filters: [{ query: { $expr: few } }],
      prices,
      derived_scores: { lost: "1 - ok" },
      success: "lost",
    });
    expect(a).toMatchObject({ success: "lost", total_tokens: { total: 75, successes: 2, trial_count: 6 } });
    expect(a?.cost).toMatchObject({ known_count: 0, value: null, total: null });
    expect((await perSuccess(engine, ["a"]))[0]).not.toHaveProperty("cost");
  });
});
