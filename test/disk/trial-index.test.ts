import { copyFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openEngine, type Engine, type EvalResultsRequest } from "../../src/index.ts";
import { runOn } from "../support/duckdb.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { scratchPath } from "../support/scratch.ts";

const ROWS = 60;
const REQUESTS: readonly EvalResultsRequest[] = [
  { evaluation_call_ids: ["e", "f"] },
  { evaluation_call_ids: ["f"], limit: 7, include_predict_and_score_children: false },
  {
    evaluation_call_ids: ["e", "f"],
    sort_by: [{ field: "scores.acc", direction: "desc" }],
    include_raw_data_rows: true,
  },
  { evaluation_call_ids: ["e"], require_intersection: true, limit: 1 },
];

/** Two evaluations of the same rows, of each row two trials. */
function trials(score: number): object[] {
  return ["e", "f"].flatMap((of) =>
    Array.from({ length: 2 * ROWS }, (_, i) =>
      trial(`${of}${i}`, { q: i % ROWS }, { acc: i / 8 + score }, { parent_id: of }),
    ),
  );
}

/** Stores many of the trials twice, and hides two. */
async function load(engine: Engine): Promise<void> {
  await engine.ingestCalls([root("e"), root("f"), ...trials(0)]);
  await engine.ingestCalls(trials(1).filter((_, i) => i % 3 === 0));
  await engine.deleteCalls(PROJECT, ["e7", "f8"]);
}

async function loadedFile(): Promise<string> {
  const file = scratchPath();
  const engine = await openEngine({ path: file, threads: 1 });
  await load(engine);
  await engine.close();
  return file;
}

/** Makes a database so large that pages look up their trials. */
const FILLED = `INSERT INTO trial_versions BY NAME SELECT 0 AS trial_key, 0 AS evaluation_key, 0 AS row_key, 0 AS started_at,
  'x' || range AS id, 1 AS dead, 1000000 + range AS version_key FROM range(100001)`;

async function answers(file: string): Promise<{ answers: string[]; lookups: string[] }> {
  const engine = await openEngine({ path: file, threads: 1, readOnly: true });
  const found = [];
  const lookups = [];
  for (const request of REQUESTS) {
    found.push(await engine.queryEvalResultsJson(PROJECT, request));
    const { statements } = await engine.explain(PROJECT, request);
    lookups.push(...statements.map(({ sql }) => sql).filter((sql) => sql.includes("version_key IN")));
  }
  await engine.close();
  return { answers: found, lookups };
}

describe("the index of trials", () => {
  it("answers pages of a large database with the same bytes; statements with it are index scans", async () => {
    const file = await loadedFile();
    const small = await answers(file);
    expect(small.lookups).toEqual([]);
    await runOn(file, FILLED);
    const large = await answers(file);
    expect(large.answers).toEqual(small.answers);
    expect(large.lookups).toHaveLength(REQUESTS.length);
    for (const sql of large.lookups) {
      const [[, plan] = []] = await runOn(file, `EXPLAIN ANALYZE ${sql}`);
      expect(plan).toMatch(/Index Scan/);
    }
  });

  it("is made where there is none", async () => {
    const file = await loadedFile();
    const expected = await answers(file);
    await runOn(file, FILLED, "DROP INDEX trials_by_version_key");
    expect((await answers(file)).answers).toEqual(expected.answers);
    await (await openEngine({ path: file, threads: 1 })).close();
    expect(await runOn(file, "SELECT index_name FROM duckdb_indexes()")).toEqual([["trials_by_version_key"]]);
    expect((await answers(file)).answers).toEqual(expected.answers);
  });

  it("has all trials after a log was replayed", async () => {
    const { file } = await killedFile();
    await (await openEngine({ path: file, threads: 1 })).close();
    expect(await keysLacking(file)).toEqual([]);
  });

  it("has other keys for what is loaded after a log was replayed", async () => {
    const { file } = await killedFile();
    const engine = await openEngine({ path: file, threads: 1 });
    await engine.ingestCalls(Array.from({ length: 20 }, (_, i) => trial(`late${i}`, { q: i }, { acc: i })));
    expect((await engine.check()).problems).toEqual([]);
    await engine.close();
  });

  it("does no harm where another program replayed a log, and is mended by the next load", async () => {
    const { file, expected } = await killedFile();
    await runOn(file, "SELECT 1");
    expect(
      (await keysLacking(file)).length,
      "DuckDB has mended this: see docs/duckdb-reports.md",
    ).toBeGreaterThan(0);
    expect((await answers(file)).answers).toEqual(expected);
    await (await openEngine({ path: file, threads: 1 })).close();
    expect(await keysLacking(file)).toEqual([]);
    expect((await answers(file)).answers).toEqual(expected);
  });
});

/** A large database whose trials that are live are in its log, and what it answered. */
async function killedFile(): Promise<{ file: string; expected: readonly string[] }> {
  const live = scratchPath();
  await (await openEngine({ path: live, threads: 1 })).close();
  await runOn(live, FILLED);
  const engine = await openEngine({ path: live, threads: 1 });
  await load(engine);
  const file = scratchPath();
  copyFileSync(live, file);
  copyFileSync(`${live}.wal`, `${file}.wal`);
  await engine.close();
  return { file, expected: (await answers(live)).answers };
}

/** The keys of live trials that the index does not find. */
async function keysLacking(file: string): Promise<unknown[]> {
  const keys = (await runOn(file, "SELECT version_key FROM trial_versions WHERE dead = 0")).flat();
  expect(keys).toHaveLength(4 * ROWS - 2);
  const looks = keys.map(
    (key) =>
      `SELECT ${String(key)}, (SELECT count(*) FROM trial_versions WHERE version_key = ${String(key)})`,
  );
  const counts = await runOn(file, looks.join(" UNION ALL "));
  return counts.filter(([, count]) => Number(count) === 0).map(([key]) => key);
}

describe("versions of trials that are dead", () => {
  const DEAD = "SELECT count(*)::INTEGER FROM trial_versions WHERE dead = 1";

  it("stay where they are few", async () => {
    const file = await loadedFile();
    const [[dead] = []] = await runOn(file, DEAD);
    expect(Number(dead)).toBeGreaterThan(ROWS);
  });

  it("are deleted where they are many, and the index is there again", async () => {
    const file = await loadedFile();
    await runOn(file, FILLED, FILLED.replace("1000000", "2000000"));
    const expected = await answers(file);
    const engine = await openEngine({ path: file, threads: 1 });
    await engine.ingestCalls([
      { id: "other", project_id: "acme/other", op_name: "x", started_at: "2026-01-01T00:00:00Z" },
    ]);
    await engine.close();
    expect(await runOn(file, DEAD)).toEqual([[0]]);
    expect(await runOn(file, "SELECT index_name FROM duckdb_indexes()")).toEqual([["trials_by_version_key"]]);
    expect((await answers(file)).answers).toEqual(expected.answers);
    const checking = await openEngine({ path: file, threads: 1, readOnly: true });
    expect((await checking.check()).problems).toEqual([]);
    await checking.close();
  });
});
