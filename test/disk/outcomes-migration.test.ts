import { DuckDBInstance } from "@duckdb/node-api";
import { expect, it } from "vitest";
import { openEngine } from "../../src/index.ts";
import { hostileTexts } from "../support/hostile-texts.ts";
import { TO_FORMAT_13 } from "../support/older-file.ts";
import { call, root, trial } from "../support/records.ts";
import { scratchPath } from "../support/scratch.ts";

const hostile = Object.fromEntries(hostileTexts.map((name) => [name, null]));
const RECORDS = [
  root("e"),
  trial("t1", { q: 1 }, { acc: null, judge: { score: null, note: [null], "a/b~c.d": { x: null } } }),
  trial("t2", { q: 2 }, { acc: 1, judge: null, hostile }),
  trial("t3", { q: 3 }, { acc: 1 }, { exception: "boom" }),
  trial("t4", { q: 4 }, { acc: 1, list: [null, { a: null }] }),
  call("t4-predict", { parent_id: "t4", op_name: "Model.predict", exception: "timeout" }),
  call("t5", { parent_id: "e", op_name: "Evaluation.predict_and_score" }),
  call("t1-late", {
    parent_id: "t1",
    op_name: "late.score",
    attributes: { svc: { score: true } },
    output: { verdict: null, ok: true },
  }),
];

async function contents(file: string, statements: readonly string[] = []): Promise<unknown[]> {
  const instance = await DuckDBInstance.create(file);
  const connection = await instance.connect();
  for (const statement of statements) await connection.run(statement);
  const tables = [
    "SELECT id, own FROM errored_trials JOIN trials USING (trial_key) ORDER BY ALL",
    `SELECT id, path, late FROM null_scores JOIN trials USING (trial_key) JOIN score_paths USING (path_key)
      WHERE NOT contains(path, '\\u') ORDER BY ALL`,
  ];
  const found = [];
  for (const table of statements.length > 0 ? [] : tables)
    found.push((await connection.runAndReadAll(table)).getRows());
  connection.closeSync();
  instance.closeSync();
  return found;
}

it("finds in an older file the outcomes that a new file stores while loading", async () => {
  const file = scratchPath();
  const engine = await openEngine({ path: file });
  await engine.ingestCalls(RECORDS);
  await engine.close();
  const stored = await contents(file);
  expect(stored[0]).toEqual([
    ["t3", true],
    ["t4", false],
    ["t5", true],
  ]);
  expect(stored[1]).toContainEqual(["t1", '["judge","a/b~c.d","x"]', false]);
  expect(stored[1]).toContainEqual(["t1", '["late","verdict"]', true]);
  expect((stored[1] as unknown[]).length).toBeGreaterThan(15);
  await contents(file, [
    ...TO_FORMAT_13,
    "DROP TABLE errored_trials",
    "DROP TABLE null_scores",
    "DELETE FROM score_paths WHERE NOT leaf AND NOT container",
    "UPDATE evalcube_format SET version = 4",
  ]);
  const again = await openEngine({ path: file });
  await again.close();
  expect(await contents(file)).toEqual(stored);
});
