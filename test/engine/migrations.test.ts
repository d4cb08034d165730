import { cpSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { openDatabase } from "../../src/duckdb/file/open-file.ts";
import { openEngine } from "../../src/index.ts";
import { runOn } from "../support/duckdb.ts";
import { EVALUATION, PROJECT, root, trial } from "../support/records.ts";
import { refusal } from "../support/refusal.ts";
import { scratchFolder, scratchPath } from "../support/scratch.ts";

const MIGRATIONS = path.join(import.meta.dirname, "../../sql/duckdb/migrations");
const VERSION = "SELECT format, version FROM evalcube_format";

/** The format of this build, and the one after it. */
const CURRENT = readdirSync(MIGRATIONS).length;
const NEXT = CURRENT + 1;

/** A folder with the migrations of this build and another one. */
function withAnother(text: string): string {
  const folder = scratchFolder();
  cpSync(MIGRATIONS, folder, { recursive: true });
  writeFileSync(path.join(folder, `${String(NEXT).padStart(3, "0")}-notes.sql`), text);
  return folder;
}

async function storedFile(): Promise<string> {
  const file = scratchPath();
  const engine = await openEngine({ path: file, threads: 1 });
  await engine.ingestCalls([root(), trial("t1", 1), trial("t2", 2)]);
  await engine.close();
  return file;
}

async function open(file: string, migrations: string, readOnly = false): Promise<void> {
  const database = await openDatabase(
    { path: file, readOnly, threads: 1, memoryLimit: null },
    {},
    migrations,
  );
  await database.close();
}

const ADD_NOTES = `-- Notes on trials.
DROP INDEX IF EXISTS trials_by_version_key;
ALTER TABLE trials ADD COLUMN note VARCHAR DEFAULT 'none';`;

it("the migrations of a database are numbered from 1, without gap or repetition", () => {
  for (const database of ["duckdb", "clickhouse"]) {
    const names = readdirSync(path.join(import.meta.dirname, "../../sql", database, "migrations")).toSorted();
    expect(names.map((name) => Number.parseInt(name, 10))).toEqual(names.map((_, i) => i + 1));
  }
});

it("a second migration changes a file that holds records, once, and is refused to a reader and to this build", async () => {
  const [file, migrations] = [await storedFile(), withAnother(ADD_NOTES)];
  expect(await refusal(open(file, migrations, true))).toMatchObject({
    code: "old_database",
    message: expect.stringContaining(
      `format ${CURRENT} is older than ${NEXT}; open it once without readOnly`,
    ),
  });
  expect(await runOn(file, VERSION)).toEqual([["evalcube", CURRENT]]);
  await open(file, migrations);
  await open(file, migrations);
  await open(file, migrations, true);
  expect(await runOn(file, VERSION)).toEqual([["evalcube", NEXT]]);
  expect(await runOn(file, "SELECT id, note FROM trials ORDER BY id")).toEqual([
    ["t1", "none"],
    ["t2", "none"],
  ]);
  expect(await runOn(file, "SELECT index_name FROM duckdb_indexes()")).toEqual([["trials_by_version_key"]]);
  expect(await refusal(openEngine({ path: file }))).toMatchObject({ code: "newer_database" });
});

it("a new file has what all migrations make", async () => {
  const file = scratchPath();
  await open(file, withAnother(ADD_NOTES));
  expect(await runOn(file, VERSION)).toEqual([["evalcube", NEXT]]);
  expect(await runOn(file, "SELECT count(note) FROM trials")).toEqual([[0n]]);
});

it("a migration that fails leaves the file as it was", async () => {
  const file = await storedFile();
  const failing = withAnother(`${ADD_NOTES} INSERT INTO nowhere VALUES (1);`);
  expect(await refusal(open(file, failing))).toMatchObject({
    code: "unusable_database",
    message: expect.stringMatching(
      new RegExp(`brought to format ${NEXT}, and stays as it is: .*nowhere`, "s"),
    ),
  });
  expect(await runOn(file, VERSION)).toEqual([["evalcube", CURRENT]]);
  const engine = await openEngine({ path: file, threads: 1 });
  expect(await engine.listEvaluations(PROJECT)).toMatchObject([{ id: EVALUATION, trial_count: 2 }]);
  await engine.close();
});

it("a file of a format from which no migration leads on is refused", async () => {
  const [file, migrations] = [await storedFile(), withAnother(ADD_NOTES)];
  for (const name of readdirSync(MIGRATIONS)) rmSync(path.join(migrations, name));
  for (const readOnly of [false, true])
    expect(await refusal(open(file, migrations, readOnly))).toMatchObject({
      code: "old_database",
      message: expect.stringContaining(`knows no format ${CURRENT}; load the sources into a new database`),
    });
  expect(await runOn(file, VERSION)).toEqual([["evalcube", CURRENT]]);
});

it("a file of the first format gets prices when it is opened, and keeps what it has", async () => {
  const first = scratchFolder();
  cpSync(path.join(MIGRATIONS, "001-schema.sql"), path.join(first, "001-schema.sql"));
  const file = scratchPath();
  await open(file, first);
  const engine = await openEngine({ path: file, threads: 1 });
  await engine.ingestCalls([root(), trial("t1", 1)]);
  const price = { prompt_token_cost: 1, completion_token_cost: 2 };
  const request = JSON.stringify({ project_id: PROJECT, costs: { m: price } });
  expect(await engine.weave.createCosts(request, { userId: "ann" })).toContain('"m"');
  await engine.close();
  expect(await runOn(file, "SELECT model, completion FROM model_prices")).toEqual([["m", 2]]);
});
