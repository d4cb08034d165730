import { expect, it } from "vitest";
import { openEngine } from "../../src/index.ts";
import { runOn } from "../support/duckdb.ts";
import { TO_FORMAT_13 } from "../support/older-file.ts";
import { PROJECT, root } from "../support/records.ts";
import { scratchPath } from "../support/scratch.ts";
import { numbered, REQUEST } from "./damage.ts";

const TABLES = ["calls", "trials", "rows"];

async function answer(path: string): Promise<unknown> {
  const engine = await openEngine({ path, threads: 1 });
  try {
    return await engine.queryEvalResults(PROJECT, { ...REQUEST, include_raw_data_rows: true });
  } finally {
    await engine.close();
  }
}

it("an older file in which replaced and deleted records came back has the newer ones alone", async () => {
  const path = scratchPath();
  const engine = await openEngine({ path, threads: 1 });
  await engine.ingestCalls([root(), ...Array.from({ length: 5 }, (_, i) => numbered(i))]);
  await engine.close();
  const kept = TABLES.map(
    (name) =>
      `CREATE TABLE former_${name} AS SELECT COLUMNS(c -> c NOT IN ('version_key', 'span_refs', 'own_span_refs')) FROM ${name}`,
  );
  await runOn(path, ...kept);

  const changing = await openEngine({ path, threads: 1 });
  await changing.ingestCalls([numbered(1, 7)]);
  await changing.deleteCalls(PROJECT, ["t2"]);
  await changing.close();
  const expected = await answer(path);

  // The records of before stand first, as deletes that were lost leave them.
  const doubled = TABLES.flatMap((name) => [
    `CREATE TABLE newer_${name} AS FROM ${name}`,
    `DELETE FROM ${name}`,
    `INSERT INTO ${name} FROM former_${name}`,
    `INSERT INTO ${name} FROM newer_${name}`,
    `DROP TABLE former_${name}`,
    `DROP TABLE newer_${name}`,
  ]);
  await runOn(path, ...TO_FORMAT_13, ...doubled, "CREATE INDEX trials_by_row ON trials (row_key)");
  await runOn(path, "UPDATE evalcube_format SET version = 8");
  expect(await answer(path)).toEqual(expected);
  const counts =
    "SELECT (SELECT count(*) FROM calls)::INTEGER, (SELECT count(*) FROM trials)::INTEGER, (SELECT count(*) FROM rows)::INTEGER";
  expect(await runOn(path, counts)).toEqual([[6, 4, 5]]);
  expect(await runOn(path, "SELECT index_name FROM duckdb_indexes()")).toEqual([["trials_by_version_key"]]);
});
