import { afterEach, expect, it } from "vitest";
import { openEngine, type Engine, type EvaluateOptions, type HistoryAnswer } from "../../src/index.ts";
import { historySentence } from "../../src/words/history.ts";
import { plainText } from "../../src/words/sentence.ts";
import { PROJECT, root, trial } from "../support/records.ts";

let engine: Engine;
afterEach(() => engine.close());

type Row = { readonly n: number };
type Options = Partial<EvaluateOptions<Row, number>>;

const rows = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => ({ n: from + i }));
/** Right up to some number; a version of the scorer where one is stated. */
const judge = (right: number, version?: string) => ({
  judge: {
    score: ({ row }: { readonly row: Row }) => row.n < right,
    ...(version === undefined ? {} : { version }),
  },
});

/** The history of runs that were logged one after the other. */
async function historyOf(...runs: readonly Options[]) {
  engine = await openEngine();
  for (const options of runs)
    await engine.evaluate<Row, number>(PROJECT, {
      name: "sums",
      model: "m",
      data: rows(0, 20),
      task: ({ n }) => n,
      scorers: judge(18),
      ...options,
    });
  return await engine.history(PROJECT, { scorers: ["judge"] });
}

/** Ids of the references of a history, as places among its runs; -1 for none. */
const referencesOf = ({ entries }: HistoryAnswer) =>
  entries.map((one) => entries.findIndex((other) => other.evaluation_call_id === one.reference));

it.each<[string, Options, Options, string | null, readonly number[]]>([
  ["less than half of its rows", { data: rows(0, 9) }, {}, "other rows", [-1, -1, 1]],
  ["half of its rows", { data: rows(0, 10) }, {}, null, [-1, 0, 0]],
  ["half of the rows of the reference", {}, { data: rows(15, 20) }, null, [-1, 0, 0]],
  ["one row alone", { data: rows(0, 1) }, { data: rows(0, 1) }, "other rows", [-1, -1, -1]],
  ["rows of another version", { dataset: "set:v1" }, { dataset: "set:v2" }, "another dataset", [-1, -1, 1]],
  ["rows of a dataset without a version", { dataset: "set:v1" }, { dataset: "set" }, null, [-1, 0, 0]],
  [
    "a scorer of another version",
    { scorers: judge(18, "v1") },
    { scorers: judge(18, "v2") },
    "another scorer",
    [-1, -1, 1],
  ],
  ["a scorer without a version", { scorers: judge(18, "v1") }, {}, null, [-1, 0, 0]],
])("a run that shares %s with the reference", async (_, before, now, why, references) => {
  const answer = await historyOf(before, now, now);
  expect(referencesOf(answer)).toEqual(references);
  const anew = answer.entries.slice(1).filter(({ reference }) => reference === null);
  expect(answer.warnings.filter((one) => one.startsWith("starts anew"))).toEqual(
    anew.map(({ label }) => `starts anew at ${label}: ${why}`),
  );
  expect(anew.every((one) => one.against_reference === null && one.worse_since === null)).toBe(true);
  expect(anew.every((one) => one.changes !== null)).toBe(true);
});

it("a loss over a gap is told of no run: no place lies before the reference", async () => {
  const v2 = (right: number): Options => ({ dataset: "set:v2", scorers: judge(right) });
  const answer = await historyOf(
    { dataset: "set:v1", scorers: judge(20) },
    { dataset: "set:v1", scorers: judge(20) },
    v2(8),
    v2(8),
    v2(8),
  );
  expect(answer.worse_since).toBeNull();
  expect(referencesOf(answer)).toEqual([-1, 0, -1, 2, 2]);
});

const at = (i: number) => new Date(Date.UTC(2026, 0, 1, i)).toISOString();

it("of more than 1,000 runs the series begins anew with run 1,001, whatever the limit", async () => {
  engine = await openEngine();
  const runs = Array.from({ length: 1003 }, (_, i) => i);
  const calls = runs.flatMap((i) => [
    root(`run-${i}`, { display_name: "sums", trace_id: `t${i}`, started_at: at(i), ended_at: at(i) }),
    ...[0, 1, 2].map((row) =>
      trial(`run-${i}-${row}`, { row }, { ok: row < 2 }, { parent_id: `run-${i}`, trace_id: `t${i}` }),
    ),
  ]);
  await engine.ingestCalls(calls);
  for (const [limit, first] of [
    [3, null],
    [5, "run-0"],
  ] as const) {
    const answer = await engine.history(PROJECT, { name: "sums", limit });
    expect(answer.entries.slice(-3).map(({ position, reference }) => [position, reference])).toEqual([
      [1001, null],
      [1002, "run-1000"],
      [1003, "run-1000"],
    ]);
    expect(answer.entries.at(-limit)?.reference).toBe(first);
    expect(plainText(historySentence(answer, {}))).toMatch(
      /^No loss that lasts is shown over 3 runs since sums/,
    );
  }
});
