import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeEach, expect, it, vi } from "vitest";
import { runOn } from "../../support/duckdb.ts";
import { temporaryFolder } from "../command.ts";
import { ci, database, passing, stubJob, type MadeRun } from "./runs.ts";

const { folder, remove } = temporaryFolder();
afterAll(remove);
beforeEach(() => {
  stubJob();
  return () => vi.unstubAllEnvs();
});

interface Answer {
  readonly evaluations: readonly {
    readonly comparisons: readonly {
      readonly n_common: number;
      readonly n_edited: number;
      readonly difference: number;
    }[];
  }[];
  readonly gates: readonly { readonly gate: string; readonly reasons: readonly string[] }[];
  readonly not_comparable: readonly { readonly reason: string; readonly text: string }[];
}

let made = 0;

/** What `ci` says of a run, against a stored one and against the same run saved. */
async function judged(before: MadeRun, after: MadeRun, ...args: readonly string[]) {
  const [old, saved] = [`before${++made}.duckdb`, join(folder, `before${made}.parquet`)];
  const other = await database(folder, old, [before]);
  await ci(other, "--save", saved);
  const db = await database(folder, `after${made}.duckdb`, [after]);
  const both = [];
  for (const baseline of [other, saved]) {
    const told = await ci(db, "--baseline", baseline, "--format", "json", ...args);
    const { stdout: text } = await ci(db, "--baseline", baseline, ...args);
    const { evaluations, gates, not_comparable } = JSON.parse(told.stdout) as Answer;
    const comparisons = evaluations.flatMap((one) =>
      one.comparisons.map(({ n_common, n_edited, difference }) => ({ n_common, n_edited, difference })),
    );
    const notes = text.split("\n").filter((line) => /shared rows? (was|were) edited/.test(line));
    both.push({ status: told.status, comparisons, gates, not_comparable, notes });
  }
  const [stored, kept] = both;
  expect(kept).toEqual(stored);
  return stored;
}

const EDITED = new Set([3, 8]);
const keyOf = (i: number) => `q${i}`;
const trials = (rows: number) =>
  Array.from({ length: rows }, (_, i) => [{ correct: i % 4 > 0 }, { correct: i % 4 > 1 }]);
const BEFORE: MadeRun = { id: "before", trials: trials(40), rowOf: (i) => ({ n: i, text: "old" }), keyOf };
const AFTER: MadeRun = {
  id: "after",
  trials: trials(40).map((row, i) => (EDITED.has(i) ? [{ correct: true }, { correct: true }] : row)),
  rowOf: (i) => ({ text: EDITED.has(i) ? "new" : "old", n: i }),
  keyOf,
};

it("edited rows are compared, counted and named, whether the baseline is stored or saved", async () => {
  expect(await judged(BEFORE, AFTER)).toMatchObject({
    status: 0,
    comparisons: [{ n_common: 40, n_edited: 2, difference: 1 / 40 }],
    notes: ["- 2 of 40 shared rows were edited: q3 and q8. --edited-rows leave-out compares without them."],
  });
});

it("keys that only late trials have count as well", async () => {
  const half = (run: MadeRun): MadeRun => ({
    ...run,
    trials: trials(70),
    rowOf: (i) => ({ n: i, text: run === AFTER && i === 68 ? "new" : "old" }),
    keyOf: (i) => (i < 60 ? undefined : `q${i}`),
  });
  expect(await judged(half(BEFORE), half(AFTER))).toMatchObject({
    comparisons: [{ n_common: 70, n_edited: 1 }],
    notes: ["- 1 of 70 shared rows was edited: q68. --edited-rows leave-out compares without it."],
  });
});

it("--edited-rows leave-out compares without them, and says so", async () => {
  expect(await judged(BEFORE, AFTER, "--edited-rows", "leave-out")).toMatchObject({
    status: 0,
    comparisons: [{ n_common: 38, n_edited: 2, difference: 0 }],
    notes: ["- 2 of 40 shared rows were edited and are left out: q3 and q8"],
  });
});

it("too few rows that were not edited are not comparable", async () => {
  const all = {
    ...AFTER,
    trials: trials(40),
    rowOf: (i: number) => ({ n: i, text: i === 0 ? "old" : "new" }),
  };
  expect(await judged(BEFORE, all, "--edited-rows", "leave-out")).toMatchObject({
    status: 4,
    not_comparable: [
      {
        reason: "rows",
        text: "qa shares 1 row that was not edited with the baseline; a comparison needs two",
      },
    ],
  });
});

it("dataset-changed is met by edited rows alone", async () => {
  const told = await judged(BEFORE, AFTER, "--fail-on", "dataset-changed");
  expect(told).toMatchObject({
    status: 3,
    gates: [{ reasons: ["dataset-changed: qa has 0 rows more, 0 fewer and 2 edited"] }],
  });
  const same = await judged(BEFORE, { ...BEFORE, id: "same" }, "--fail-on", "dataset-changed");
  expect(same).toMatchObject({ status: 0, comparisons: [{ n_common: 40, n_edited: 0 }], notes: [] });
});

it("where one side has keys and the other none, the reason says which", async () => {
  const plain = { id: "plain", trials: trials(40), rowOf: BEFORE.rowOf ?? (() => null) };
  for (const [before, after, text] of [
    [plain, AFTER, "qa has row keys, the baseline has none: no row is shared"],
    [BEFORE, plain, "the baseline has row keys, qa has none: no row is shared"],
  ] as const)
    expect(await judged(before, after)).toMatchObject({
      status: 4,
      not_comparable: [{ reason: "rows", text }],
    });
});

const referring = (id: string, digestOf: (i: number) => string): MadeRun => {
  const rowOf = (i: number) => `weave:///acme/qa/object/set:v1/attr/rows/id/${digestOf(i)}`;
  return { id, trials: passing(10, 5), rowOf, keyOf };
};

it("a row that a trial refers to is edited where it refers to another", async () => {
  const before = referring("before", (i) => `row${i}`);
  const after = referring("after", (i) => (i === 4 ? "other" : `row${i}`));
  expect(await judged(before, after)).toMatchObject({
    comparisons: [{ n_common: 10, n_edited: 1 }],
    notes: ["- 1 of 10 shared rows was edited: q4. --edited-rows leave-out compares without it."],
  });
});

it("a saved baseline holds no key, and 7 bytes for what a row with a key holds", async () => {
  const [keyed, plain] = ["keyed.parquet", "plain.parquet"].map((name) => join(folder, name));
  const { keyOf: _, ...others } = BEFORE;
  await ci(
    await database(folder, "keyed.duckdb", [{ ...BEFORE, keyOf: (i) => `secret ${i}` }]),
    "--save",
    keyed ?? "",
  );
  await ci(await database(folder, "plain.duckdb", [others]), "--save", plain ?? "");
  const sizes = `SELECT count(*) AS n, max(octet_length(content)) AS size FROM`;
  expect(await runOn(":memory:", `${sizes} '${keyed}'`)).toEqual([[40n, 7n]]);
  expect(await runOn(":memory:", `${sizes} '${plain}'`)).toEqual([[40n, null]]);
  expect(readFileSync(keyed ?? "", "latin1")).not.toContain("secret");
});
