import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine, type Engine, type EvalResultsRequest } from "../../src/index.ts";
import { EVALUATION, PROJECT, root, trial } from "../support/records.ts";
import { askAll } from "../support/queries.ts";
import { refusal } from "../support/refusal.ts";
import { scratchPath } from "../support/scratch.ts";

const VALUES = [
  "abc",
  "a\nb",
  "a\r\nb",
  "b\na\n",
  "ÉCOLE",
  "naïve 😀",
  "K ſ",
  "x.y",
  "",
  1.5,
  true,
  { k: ["a"] },
];

let engine: Engine;

beforeAll(async () => {
  engine = await openEngine({ threads: 1 });
  await engine.ingestCalls([
    root(),
    root("other"),
    ...VALUES.map((v, i) => trial(`t${i}`, { i, v }, { v, n: i })),
    ...VALUES.map((v, i) => trial(`o${i}`, { i, v }, { v, n: i }, { parent_id: "other" })),
  ]);
});

afterAll(() => engine.close());

function filters(text: string, case_insensitive?: boolean, field = "scores.v") {
  const regex = { input: { $getField: field }, pattern: { $literal: text }, case_insensitive };
  return [{ query: { $expr: { $regex: regex } } }] satisfies EvalResultsRequest["filters"];
}

function many(count: number): EvalResultsRequest {
  const $or = Array.from({ length: count }, () => filters("^a").map(({ query }) => query.$expr)).flat();
  return { evaluation_call_ids: [EVALUATION], filters: [{ query: { $expr: { $or } } }] };
}

async function matched(text: string, ignoreCase?: boolean, field?: string): Promise<unknown[]> {
  const { rows } = await askAll(engine, {
    filters: filters(text, ignoreCase, field),
    sort_by: [{ field: "inputs.i" }],
  });
  return rows.map(({ raw_data_row }) => (raw_data_row as { v: unknown }).v);
}

describe("a pattern", () => {
  it.each<[string, boolean, unknown[]]>([
    ["^a", false, ["abc", "a\nb", "a\r\nb"]],
    ["a$", false, []],
    ["(?m)a$", false, ["a\nb", "b\na\n"]],
    ["(?m)^a$", false, ["a\nb", "b\na\n"]],
    ["a.b", false, []],
    ["(?s)a.b", false, ["a\nb"]],
    ["^a.{2}b$", false, []],
    ["(?s)^a.{2}b$", false, ["a\r\nb"]],
    ["^a.*b$", false, []],
    ["\\n\\z", false, ["b\na\n"]],
    ["é", false, []],
    ["é", true, ["ÉCOLE"]],
    ["(?i)école", false, ["ÉCOLE"]],
    ["^naïve .$", false, ["naïve 😀"]],
    ["\\x{1F600}", false, ["naïve 😀"]],
    ["^\\p{Lu}+$", false, ["ÉCOLE"]],
    ["^k s$", true, ["K ſ"]],
    ["\\bv", false, ["naïve 😀"]],
    ["x.y", false, ["x.y"]],
    ["\\Qx.y\\E", false, ["x.y"]],
    ["^$", false, [""]],
    ["^1\\.5$", false, [1.5]],
    ["^true$", false, [true]],
    ['^\\{"k":\\["a"\\]\\}$', false, [{ k: ["a"] }]],
    ["%|_", false, []],
    ["\\x00", false, []],
  ])("matches as RE2 does: %s (of any case: %s)", async (text, ignoreCase, expected) => {
    expect(await matched(text, ignoreCase)).toEqual(expected);
    expect(await matched(text, ignoreCase, "inputs.v")).toEqual(expected);
  });

  it.each([
    ["(", /missing \)/],
    ["[a", /missing \]/],
    ["a**", /bad repetition operator/],
    ["a{2}{3}", /bad repetition operator/],
    ["\\", /trailing/],
    ["(a)\\1", /invalid escape sequence: \\1/],
    ["(?=a)b", /invalid perl operator: \(\?=/],
    ["(?<!a)b", /invalid perl operator/],
    ["(?>a)", /invalid perl operator/],
    ["\\p{Nothing}", /invalid character class range/],
  ])("is refused with its place: %s", async (text, reason) => {
    const path = ["filters", 0, "query", "$expr", "$regex", "pattern", "$literal"];
    const asked = { evaluation_call_ids: [EVALUATION], filters: filters(text) };
    const compared = { baseline: EVALUATION, candidates: ["other"], filters: filters(text) };
    const agreement = { evaluations: [EVALUATION], a: "v", b: "n", filters: filters(text) };
    for (const ask of [
      () => engine.queryEvalResults(PROJECT, asked),
      () => engine.queryEvalResults("acme/nothing", asked),
      () => engine.queryEvalResults(PROJECT, { ...asked, include_rows: false, include_summary: true }),
      () => engine.explain(PROJECT, asked),
      () => engine.queryTable(PROJECT, asked),
      () => engine.compareEvaluations(PROJECT, compared),
      () => engine.agreement(PROJECT, agreement),
    ]) {
      const error = await refusal(ask());
      expect(error).toMatchObject({ name: "RequestError", kind: "schema", path });
      expect(error.message).toMatch(reason);
    }
  });

  it("filters the summary, a table, an export and a comparison", async () => {
    const asked = { evaluation_call_ids: [EVALUATION], filters: filters("^a") };
    const { summary } = await engine.queryEvalResults(PROJECT, { ...asked, include_summary: true });
    expect(summary?.row_count).toBe(3);
    expect((await engine.queryTable(PROJECT, asked)).numRows).toBe(3);
    const path = scratchPath("selected.jsonl");
    await engine.exportResults(PROJECT, asked, { format: "jsonl", path });
    expect(readFileSync(path, "utf8").trimEnd().split("\n")).toHaveLength(3);
    const { comparisons } = await engine.compareEvaluations(PROJECT, {
      baseline: EVALUATION,
      candidates: ["other"],
      scorers: ["n"],
      filters: filters("^a"),
    });
    expect(comparisons).toMatchObject([{ n_common: 3 }]);
  });

  it("may stand with nineteen others in a request", async () => {
    expect((await engine.queryEvalResults(PROJECT, many(20))).total_rows).toBe(3);
    expect(await refusal(engine.queryEvalResults(PROJECT, many(21)))).toMatchObject({
      kind: "schema",
      path: ["filters", 0, "query", "$expr", "$or", 20, "$regex", "pattern", "$literal"],
    });
  });
});
