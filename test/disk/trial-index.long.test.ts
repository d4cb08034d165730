import { copyFileSync, statSync } from "node:fs";
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
const FILLED = `INSERT INTO trials BY NAME SELECT 1000000 + range AS trial_key, 0 AS evaluation_key, 0 AS row_key, 0 AS started_at,
  'x' || range AS id, 1000000 + range AS version_key FROM range(100001)`;

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
    expect((await engine.check()).problems.filter(({ kind }) => kind === "doubled")).toEqual([]);
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

/** A large database whose own trials are in its log, and what it answered. */
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

/** The keys of trials that the index does not find. */
async function keysLacking(file: string): Promise<unknown[]> {
  const keys = (await runOn(file, "SELECT version_key FROM trials WHERE id NOT LIKE 'x%'")).flat();
  expect(keys).toHaveLength(4 * ROWS - 2);
  const looks = keys.map(
    (key) => `SELECT ${String(key)}, (SELECT count(*) FROM trials WHERE version_key = ${String(key)})`,
  );
  const counts = await runOn(file, looks.join(" UNION ALL "));
  return counts.filter(([, count]) => Number(count) === 0).map(([key]) => key);
}

describe("trials that are stored again", () => {
  const MANY = 25_000;
  const PLACES = "SELECT count(*)::INTEGER, max(rowid)::INTEGER + 1 FROM trials";
  const INDEXES = "SELECT index_name FROM duckdb_indexes()";

  const many = (score: number) =>
    Array.from({ length: MANY }, (_, i) => trial(`t${i}`, { q: i % 100 }, { acc: score }));

  it("leave no more space behind than half as many take", async () => {
    const file = scratchPath();
    const engine = await openEngine({ path: file, threads: 1 });
    await engine.ingestCalls([root(), ...many(0)]);
    for (let change = 1; change < 6; change++) await engine.ingestCalls(many(change));
    await engine.ingestCalls([trial("last", { q: 1 })]);
    const { rows } = await engine.queryEvalResults(PROJECT, { evaluation_call_ids: ["e"], limit: 3 });
    expect(rows).toHaveLength(3);
    expect((await engine.check()).problems).toEqual([]);
    await engine.close();
    const [[stored, places] = []] = await runOn(file, PLACES);
    expect(stored).toBe(MANY + 1);
    expect(places).toBeLessThan(2 * MANY);
    expect(await runOn(file, INDEXES)).toEqual([["trials_by_version_key"]]);
  });

  it("are written into the file beside a reader who began before; space is given up after him", async () => {
    const file = scratchPath();
    const warnings: unknown[] = [];
    const engine = await openEngine({
      path: file,
      threads: 1,
      onWarning: (warning) => warnings.push(warning),
    });
    await engine.ingestCalls([root(), ...many(0)]);
    const batches = engine.sqlBatches(PROJECT, "SELECT t.*, i FROM trials AS t, range(100) AS r(i)");
    const reader = batches[Symbol.asyncIterator]();
    await reader.next();
    const logs = [];
    for (let change = 1; change < 7; change++) {
      await engine.ingestCalls(many(change));
      await engine.ingestCalls([trial("last", { q: change })]);
      logs.push(statSync(`${file}.wal`, { throwIfNoEntry: false })?.size ?? 0);
    }
    expect(warnings).toEqual([]);
    expect(Math.max(...logs)).toBeLessThan(2 ** 24);
    await reader.return?.();
    await engine.ingestCalls([trial("last", { q: 0 })]);
    await engine.close();
    expect(warnings).toEqual([]);
    const [[stored, places] = []] = await runOn(file, PLACES);
    expect(stored).toBe(MANY + 1);
    expect(places).toBeLessThan(3 * MANY);
    expect(await runOn(file, INDEXES)).toEqual([["trials_by_version_key"]]);
  });
});
