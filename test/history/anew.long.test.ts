import { afterEach, expect, it } from "vitest";
import { openEngine, type Engine, type EvaluateOptions } from "../../src/index.ts";
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

it.each<[string, Options, Options, string | null]>([
  ["less than half of its rows", { data: rows(0, 9) }, {}, "other rows"],
  ["half of its rows", { data: rows(0, 10) }, {}, null],
  ["half of the rows of the reference", {}, { data: rows(15, 20) }, null],
  ["one row alone", { data: rows(0, 1) }, { data: rows(0, 1) }, "other rows"],
  ["rows of another version of the dataset", { dataset: "set:v1" }, { dataset: "set:v2" }, "another dataset"],
  ["rows of a dataset without a version", { dataset: "set:v1" }, { dataset: "set" }, null],
  [
    "a scorer of another version",
    { scorers: judge(18, "v1") },
    { scorers: judge(18, "v2") },
    "another scorer",
  ],
  ["a scorer without a version", { scorers: judge(18, "v1") }, {}, null],
])("a run that shares %s with the reference starts anew, or does not", async (_, before, now, why) => {
  const { entries, warnings } = await historyOf(before, now, now);
  const [first, second, third] = entries;
  const told = warnings.filter((one) => one.startsWith("starts anew"));
  const isOne = why === "other rows" && now.data !== undefined;
  if (why === null) {
    expect(told).toEqual([]);
    expect(second?.reference).toBe(first?.evaluation_call_id);
    expect(third?.reference).toBe(first?.evaluation_call_id);
    return;
  }
  expect(told).toEqual(
    (isOne ? [second, third] : [second]).map((one) => `starts anew at ${one?.label}: ${why}`),
  );
  expect([second?.reference, second?.against_reference, second?.worse_since]).toEqual([null, null, null]);
  expect(second?.against_previous).not.toBeNull();
  expect(third?.reference ?? null).toBe(isOne ? null : second?.evaluation_call_id);
});

it("a loss over a gap is told of no run: no place lies before the reference", async () => {
  const v2 = (right: number): Options => ({ dataset: "set:v2", scorers: judge(right) });
  const { entries, worse_since: since } = await historyOf(
    { dataset: "set:v1", scorers: judge(20) },
    { dataset: "set:v1", scorers: judge(20) },
    v2(8),
    v2(8),
    v2(8),
  );
  expect(since).toBeNull();
  expect(
    entries.map((one) => entries.findIndex((other) => other.evaluation_call_id === one.reference)),
  ).toEqual([-1, 0, -1, 2, 2]);
});

it("of more than 1,000 runs the series begins anew with run 1,001, whatever the limit", async () => {
  engine = await openEngine();
  const at = (i: number) => new Date(Date.UTC(2026, 0, 1, i)).toISOString();
  const runs = Array.from({ length: 1003 }, (_, i) => i);
  const calls = runs.flatMap((i) => [
    root(`run-${i}`, { display_name: "sums", trace_id: `t${i}`, started_at: at(i), ended_at: at(i) }),
    ...[0, 1, 2].map((row) =>
      trial(`run-${i}-${row}`, { row }, { ok: row < 2 }, { parent_id: `run-${i}`, trace_id: `t${i}` }),
    ),
  ]);
  await engine.ingestCalls(calls);
  for (const limit of [3, 5]) {
    const answer = await engine.history(PROJECT, { name: "sums", limit });
    expect(answer.entries.slice(-3).map(({ position, reference }) => [position, reference])).toEqual([
      [1001, null],
      [1002, "run-1000"],
      [1003, "run-1000"],
    ]);
    if (limit === 5) expect(answer.entries[1]?.reference).toBe("run-0");
    expect(plainText(historySentence(answer, {}))).toMatch(
      /^No loss that lasts is shown over 3 runs since sums/,
    );
  }
});
