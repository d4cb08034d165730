import { afterEach, describe, expect, it } from "vitest";
import { openEngine, type CompareRequest, type Engine, type EvaluateOptions } from "../../src/index.ts";

const PROJECT = "acme/direction";
const engines: Engine[] = [];
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
});

type Row = { readonly n: number };
type Options = Partial<EvaluateOptions<Row, number>> & { readonly by?: number };

/** Runs of one name, one after another: each answers `n + by` to 20 rows. */
async function ran(
  ...runs: readonly Options[]
): Promise<{ readonly engine: Engine; readonly ids: string[] }> {
  const engine = await openEngine();
  engines.push(engine);
  const ids: string[] = [];
  for (const { by = 0, ...options } of runs) {
    const { id } = await engine.evaluate<Row, number>(PROJECT, {
      name: "lengths",
      model: "m",
      data: Array.from({ length: 20 }, (_, n) => ({ n })),
      task: ({ n }) => n + by + (n % 2) / 10,
      scorers: { length: ({ output }) => output },
      ...options,
    });
    ids.push(id);
  }
  return { engine, ids };
}

async function comparedIn(
  { engine, ids: [baseline = "", ...candidates] }: Awaited<ReturnType<typeof ran>>,
  request: CompareRequest = {},
) {
  const answer = await engine.compareEvaluations(PROJECT, { baseline, candidates, ...request });
  const told = answer.comparisons.map(({ direction, verdict }) => ({ direction, verdict }));
  return { answer, told, first: told[0] };
}

const length = ({ output }: { readonly output: number }) => output;

const passing = (least: number) => ({
  ok: ({ output }: { output: number }) => output > least,
  rate: ({ output }: { output: number }) => Number(output > least),
  toxic: { score: ({ output }: { output: number }) => output > least, better: "lower" as const },
});

const warned = (texts: readonly string[]) => texts.filter((text) => text.includes("is better"));
const worseInLaw = ({ n }: Row) => n + (n < 10 ? -5 : 0) + (n % 2) / 10;

describe("which way is good", () => {
  it("is unknown of numbers of which nobody says it: what falls or rises has moved", async () => {
    const { told } = await comparedIn(await ran({}, { by: -5 }, { by: 5 }));
    const moved = { direction: null, verdict: "moved" };
    expect(told).toEqual([moved, moved]);
  });

  it.each<[string, Options, Options, CompareRequest, string, string]>([
    ["the request", {}, {}, { lower_is_better: ["length"] }, "lower", "improved"],
    ["the request", {}, {}, { higher_is_better: ["length"] }, "higher", "regressed"],
    [
      "the request before all",
      { directions: { length: "lower" } },
      {},
      { higher_is_better: ["length"] },
      "higher",
      "regressed",
    ],
    ["the candidate", {}, { directions: { length: "lower" } }, {}, "lower", "improved"],
    [
      "the baseline where the candidate does not",
      { directions: { length: "higher" } },
      {},
      {},
      "higher",
      "regressed",
    ],
    ["the scorer", {}, { scorers: { length: { score: length, better: "lower" } } }, {}, "lower", "improved"],
    [
      "the option before the scorer",
      {},
      { directions: { length: "higher" }, scorers: { length: { score: length, better: "lower" } } },
      {},
      "higher",
      "regressed",
    ],
    [
      "attributes before options",
      {},
      { directions: { length: "higher" }, attributes: { directions: { length: "lower" } } },
      {},
      "lower",
      "improved",
    ],
  ])("is what %s says", async (_who, before, now, request, direction, verdict) => {
    const { first } = await comparedIn(await ran(before, { by: -5, ...now }), request);
    expect(first).toEqual({ direction, verdict });
  });

  it("is said by dimension, the longest name first, and of a name with dots", async () => {
    const scorers = {
      style: {
        score: ({ output }: { output: number }) => ({ length: output, depth: { most: output } }),
        better: { length: "lower", "depth.most": "higher" },
      },
      "v1.0": { score: length, better: "lower" },
    } as const;
    const { engine, ids } = await ran({ scorers }, { scorers, by: -5 });
    const { answer } = await comparedIn({ engine, ids });
    expect(answer.comparisons.map((one) => [one.scorer_key, one.path, one.direction, one.verdict])).toEqual([
      ["style", "depth.most", "higher", "regressed"],
      ["style", "length", "lower", "improved"],
      ["v1.0", null, "lower", "improved"],
    ]);
    const [first] = await engine.listEvaluations(PROJECT);
    expect(first?.attributes).toMatchObject({
      directions: { "style.length": "lower", "style.depth.most": "higher", "v1\\.0": "lower" },
    });
  });

  it("is higher of true and false and of rates, and lower where it is said", async () => {
    const { answer } = await comparedIn(await ran({ scorers: passing(0) }, { scorers: passing(15) }));
    expect(answer.comparisons.map((one) => [one.scorer_key, one.direction, one.verdict])).toEqual([
      ["ok", "higher", "regressed"],
      ["rate", "higher", "regressed"],
      ["toxic", "lower", "improved"],
    ]);
  });

  it("is the candidate's where both say another, and a warning says so", async () => {
    const both = await ran({ directions: { length: "higher" } }, { directions: { length: "lower" }, by: -5 });
    const { answer, first } = await comparedIn(both);
    expect(first).toEqual({ direction: "lower", verdict: "improved" });
    expect(warned(answer.warnings)).toEqual([
      expect.stringMatching(/^"lengths \(.*\)": lower is better, and the baseline says higher, in length$/),
    ]);
    const asked = await comparedIn(both, { lower_is_better: ["length"] });
    expect(warned(asked.answer.warnings)).toEqual([]);
  });

  it("is told by leaderboard and history, where nothing undirected is worse", async () => {
    const { engine } = await ran({}, { by: -5 });
    const board = await engine.leaderboard(PROJECT, {});
    expect(board.dimensions).toMatchObject([{ direction: null, lower_is_better: false }]);
    expect(board.entries.map(({ standing }) => standing)).toEqual(["best", "moved"]);
    expect(board.entries[1]?.against_best).toMatchObject({ direction: null, verdict: "moved" });
    const history = await engine.history(PROJECT, {});
    expect(history.dimensions).toMatchObject([{ direction: null }]);
    expect(history.worse_since).toBeNull();
    const asked = await engine.leaderboard(PROJECT, { higher_is_better: ["length"] });
    expect(asked.dimensions).toMatchObject([{ direction: "higher" }]);
    expect(asked.entries.map(({ standing }) => standing)).toEqual(["best", "worse"]);
  });

  it("is of the slices that of their comparison, and what moved may be explained", async () => {
    const data = Array.from({ length: 20 }, (_, n) => ({ n, topic: n < 10 ? "law" : "art" }));
    const { answer } = await comparedIn(await ran({ data }, { data, task: worseInLaw }), {
      by: "inputs.topic",
    });
    const [one] = answer.comparisons;
    expect(one?.verdict).toBe("moved");
    expect(one?.slices?.map(({ value, verdict }) => [value, verdict])).toEqual([
      [["law"], "moved"],
      [["art"], "inconclusive"],
    ]);
    expect(one?.explained_by?.value).toEqual(["law"]);
  });

  it.each<[string, object, RegExp]>([
    ["a side that is none", { directions: { length: "up" } }, /directions\.length/],
    [
      "a side of a scorer",
      { scorers: { length: { score: length, better: "up" } } },
      /scorers\.length\.better/,
    ],
    [
      "a side of a dimension",
      { scorers: { length: { score: length, better: { a: 1 } } } },
      /scorers\.length\.better/,
    ],
    ["a scorer without a function", { scorers: { length: { better: "lower" } } }, /scorers\.length\.score/],
    ["an unknown member", { scorers: { length: { score: length, bettr: "lower" } } }, /bettr/],
    [
      "a scorer that is a number",
      { scorers: { length: 5 } },
      /scorers\.length: must be a function, or an object/,
    ],
    ["a version with a slash", { scorers: { length: { score: length, version: "a/b" } } }, /has "\/"/],
    ["a version of a name with a colon", { scorers: { "a:b": { score: length, version: "v1" } } }, /has ":"/],
  ])("refuses %s, and stores nothing", async (_what, options, message) => {
    const engine = await openEngine();
    engines.push(engine);
    const all = { name: "e", model: "m", data: [{ n: 1 }], task: () => 1, scorers: {}, ...options };
    await expect(engine.evaluate(PROJECT, all as unknown as EvaluateOptions<Row, number>)).rejects.toThrow(
      message,
    );
    expect(await engine.listProjects()).toEqual([]);
  });
});
