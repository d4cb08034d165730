import { afterEach, describe, expect, it } from "vitest";
import { openEngine, type Changes, type Engine, type EvaluateOptions } from "../../src/index.ts";
import { changesOf, type ChangingSide } from "../../src/respond/compare/changes.ts";

const PROJECT = "acme/changes";
const engines: Engine[] = [];
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
});

type Row = { readonly n: number };
type Options = Partial<EvaluateOptions<Row, number>>;

const rows = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => ({ n: from + i }));
const ok = ({ output }: { readonly output: number }) => output % 2 === 0;

async function changesFrom(before: Options, now: Options): Promise<Changes | undefined> {
  const engine = await openEngine();
  engines.push(engine);
  for (const options of [before, now])
    await engine.evaluate<Row, number>(PROJECT, {
      name: "sums",
      model: "m",
      data: rows(0, 10),
      task: ({ n }) => n,
      scorers: { ok },
      ...options,
    });
  const { changes } = await engine.compareEvaluations(PROJECT, {});
  expect(changes).toHaveLength(1);
  return changes[0];
}

describe("what changed", () => {
  it.each<[string, Options, Options, string, Partial<Changes>]>([
    ["nothing", {}, {}, "nothing that is recorded", { model: null, dataset: null, commits: null }],
    ["a model", {}, { model: "small-2" }, "model m → small-2", { model: ["m", "small-2"] }],
    ["its version", { model: "m:v1" }, { model: "m:v2" }, "model m:v1 → m:v2", { model: ["m:v1", "m:v2"] }],
    [
      "no version that one side does not state",
      { model: "m" },
      { model: "m:v2" },
      "nothing that is recorded",
      { model: null },
    ],
    [
      "a dataset",
      { dataset: "support:v1" },
      { dataset: "support:v2" },
      "dataset support:v1 → support:v2",
      { dataset: ["support:v1", "support:v2"] },
    ],
    [
      "rows",
      {},
      { data: rows(8, 20) },
      "10 rows added, 8 removed",
      { rows: { same: 2, added: 10, removed: 8, edited: 0 } },
    ],
    [
      "one row",
      {},
      { data: rows(0, 9) },
      "1 row removed",
      { rows: { same: 9, added: 0, removed: 1, edited: 0 } },
    ],
    [
      "scores",
      { scorers: { ok, correct: ok } },
      { scorers: { ok, exact_match: ok } },
      "scores: exact_match new, correct gone",
      { scorers: { added: ["exact_match"], removed: ["correct"], redefined: [] } },
    ],
    [
      "a dimension of a scorer",
      { scorers: { ok, judge: () => ({ style: 1, tone: 1 }) } },
      { scorers: { ok, judge: () => ({ style: 1, depth: 1 }) } },
      "scores: judge.depth new, judge.tone gone",
      { scorers: { added: ["judge.depth"], removed: ["judge.tone"], redefined: [] } },
    ],
    [
      "a scorer that is redefined, though a first trial failed",
      { scorers: { ok: { score: ok, version: "v1" } } },
      {
        scorers: { ok: { score: ok, version: "v2" } },
        task: ({ n }: Row) => {
          if (n === 0) throw new Error("429");
          return n;
        },
      },
      "scores: ok redefined",
      { scorers: { added: [], removed: [], redefined: ["ok"] } },
    ],
    [
      "no scorer that one side states no version of",
      { scorers: { ok: { score: ok, version: "v1" } } },
      { scorers: { ok } },
      "nothing that is recorded",
      { scorers: { added: [], removed: [], redefined: [] } },
    ],
    ["trials", {}, { trials: 3 }, "trials a row 1 → 3", { trials_per_row: [1, 3] }],
    [
      "the commit",
      { attributes: { commit: "d7cb590a31f" } },
      { attributes: { commit: "463200a99ee" } },
      "commits d7cb590..463200a",
      { commits: ["d7cb590a31f", "463200a99ee"] },
    ],
    [
      "no commit that one side does not state",
      {},
      { attributes: { commit: "463200a" } },
      "nothing that is recorded",
      { commits: null },
    ],
    [
      "all of it, in one order",
      { dataset: "s:v1", attributes: { commit: "aaaaaaa" } },
      {
        model: "n",
        dataset: "s:v2",
        data: rows(0, 9),
        trials: 2,
        scorers: { ok, more: ok },
        attributes: { commit: "bbbbbbb" },
      },
      "model m → n; dataset s:v1 → s:v2; 1 row removed; scores: more new; trials a row 1 → 2; commits aaaaaaa..bbbbbbb",
      {},
    ],
  ])("names %s", async (_what, before, now, text, members) => {
    expect(await changesFrom(before, now)).toMatchObject({ text, ...members });
  });

  it("is told of each pair, whatever scores are asked for", async () => {
    const engine = await openEngine();
    engines.push(engine);
    const ids: string[] = [];
    for (const model of ["a", "b", "c"]) {
      const scorers = model === "c" ? { ok, more: ok } : { ok };
      const run = { name: model, model, dataset: "d", data: rows(0, 5), task: ({ n }: Row) => n, scorers };
      ids.push((await engine.evaluate(PROJECT, run)).id);
    }
    const [baseline = "", ...candidates] = ids;
    const { changes } = await engine.compareEvaluations(PROJECT, { baseline, candidates, scorers: ["ok"] });
    expect(changes.map(({ candidate, text }) => [candidate, text])).toEqual([
      [ids[1], "model a → b"],
      [ids[2], "model a → c; scores: more new"],
    ]);
    const models = { baseline: "a", candidates: ["c"], by: "model" } as const;
    expect((await engine.compareEvaluations(PROJECT, models)).changes).toMatchObject([
      { baseline: "a", candidate: "c", model: ["a", "c"] },
    ]);
  });

  it("quotes names that are no plain words, and names the first twenty", () => {
    const side: ChangingSide = {
      id: "a",
      model: null,
      datasets: [],
      commit: null,
      trialsPerRow: 1,
      scores: [],
      scorers: new Map(),
    };
    const many = { ...side, scores: Array.from({ length: 30 }, (_, i) => [`s${i}`]), model: "x\n; model y" };
    const none = { same: 1, added: 0, removed: 0, edited: 3 };
    expect(changesOf({ ...side, model: "m" }, many, none).text).toMatch(
      /^model m → "x ; model y"; 3 rows edited; scores: s0 new, .*s19 new, 10 more$/,
    );
  });
});
