import { describe, expect, it } from "vitest";
import { scratchPath } from "../support/scratch.ts";
import { openEngine } from "../../src/index.ts";
import { runOn } from "../support/duckdb.ts";
import { call, root, trial } from "../support/records.ts";

/** More than are written at once; they come in five batches. */
const TRIALS = 18_000;
const NAMES = ["a", "b", "c", "d", "e", "f", "g"];

function scores(i: number) {
  return Object.fromEntries(NAMES.map((name, at) => [name, i + at / 8]));
}

async function loaded(records: readonly unknown[]): Promise<string> {
  const path = scratchPath();
  const engine = await openEngine({ path, threads: 1 });
  await engine.ingestCalls([root(), ...records]);
  await engine.close();
  return path;
}

describe("the score values of a load", () => {
  it("lie together by dimension, whichever batch brought them", async () => {
    const path = await loaded(Array.from({ length: TRIALS }, (_, i) => trial(`t${i}`, i, scores(i))));
    const [found] = await runOn(
      path,
      `SELECT count(*)::INTEGER, count(DISTINCT (path_key, trial_key))::INTEGER, count(*) FILTER (path_key <> before)::INTEGER
       FROM (SELECT *, lag(path_key) OVER (ORDER BY rowid) AS before FROM scores)`,
    );
    const all = TRIALS * NAMES.length;
    expect(found?.slice(0, 2)).toEqual([all, all]);
    // Of two groups, the second small.
    expect(found?.[2]).toBeLessThan(2 * NAMES.length);
  });

  it("are those of its last call where a trial changes in a later batch", async () => {
    const others = Array.from({ length: 9000 }, (_, i) => call(`other${i}`, { op_name: "other" }));
    const late = call("s", {
      parent_id: "t2",
      op_name: "judge.score",
      attributes: { svc: { score: true } },
      output: 5,
    });
    const path = await loaded([
      ...[1, 2, 3].map((i) => trial(`t${i}`, i, { a: i, b: i })),
      ...others,
      late,
      trial("t3", 3, { a: 30, c: 31 }),
    ]);
    const found = await runOn(
      path,
      `SELECT t.id, p.path, number FROM scores JOIN trials AS t USING (trial_key) JOIN score_paths AS p USING (path_key)
       ORDER BY t.id, p.path`,
    );
    expect(found).toEqual([
      ["t1", '["a"]', 1],
      ["t1", '["b"]', 1],
      ["t2", '["a"]', 2],
      ["t2", '["b"]', 2],
      ["t2", '["judge"]', 5],
      ["t3", '["a"]', 30],
      ["t3", '["c"]', 31],
    ]);
  });
});
