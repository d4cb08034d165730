import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { openEngine, type EvalResultsRequest } from "../../src/index.ts";
import { runOn } from "../support/duckdb.ts";
import { askAll, storedIds } from "../support/queries.ts";
import { EVALUATION, ndjson, PROJECT, stream, trial } from "../support/records.ts";
import { refusal } from "../support/refusal.ts";
import { scratchEngine, scratchPath } from "../support/scratch.ts";

const T = trial("t", { q: 1 }, { acc: 1 });
const COLUMNS = `'t' AS id, '${PROJECT}' AS project_id, 'Evaluation.predict_and_score' AS op_name, 'e' AS parent_id, '2026-01-01T00:00:00Z' AS started_at`;

it("a file that this process has open already is refused", async () => {
  const file = scratchPath();
  await scratchEngine({ path: file });
  expect(await refusal(openEngine({ path: file }))).toMatchObject({ code: "locked_database" });
});

it.each([
  "CREATE VIEW v AS SELECT 1",
  "CREATE SCHEMA s",
  "CREATE SEQUENCE q",
  "CREATE TYPE m AS ENUM ('a')",
  "CREATE MACRO m(x) AS x",
])("a DuckDB file of another program without tables is refused: %s", async (statement) => {
  const file = scratchPath();
  await runOn(file, statement);
  const before = readFileSync(file);
  expect(await refusal(openEngine({ path: file }))).toMatchObject({ code: "foreign_database" });
  expect(readFileSync(file).equals(before)).toBe(true);
});

it.each([
  "CREATE TABLE evalcube_format (other VARCHAR)",
  "CREATE SCHEMA s; CREATE TABLE s.evalcube_format (format VARCHAR, version INTEGER)",
])("a format table of another shape is refused: %s", async (statement) => {
  const file = scratchPath();
  await runOn(file, statement);
  expect(await refusal(openEngine({ path: file }))).toMatchObject({ code: "foreign_database" });
});

it("an SQLite file is refused without a look at the network", async () => {
  const file = scratchPath();
  writeFileSync(file, Buffer.concat([Buffer.from("SQLite format 3\0"), Buffer.alloc(8192)]));
  expect(await refusal(openEngine({ path: file }))).toMatchObject({ code: "foreign_database" });
});

it("an empty file becomes a database, as a process killed at the wrong moment or mktemp leaves it", async () => {
  const file = scratchPath();
  writeFileSync(file, "");
  expect(await (await scratchEngine({ path: file })).ingestCalls([T])).toMatchObject({ stored: 1 });
  expect(existsSync(file)).toBe(true);
});

it("what was asked before close is finished, also what waits for its turn", async () => {
  const engine = await openEngine();
  const loads = [engine.ingestCalls([T]), engine.ingestCalls([trial("u", 2)])];
  const outcomes = Promise.allSettled(loads);
  await engine.close();
  expect((await outcomes).map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"]);
});

it("gzip is recognised whatever the chunks", async () => {
  const engine = await scratchEngine();
  const zipped = gzipSync(ndjson([T]));
  expect(await engine.ingestCalls(stream(Array.from(zipped, (byte) => Buffer.from([byte]))))).toMatchObject({
    stored: 1,
  });
  expect(await engine.ingestCalls(stream([Buffer.alloc(0), zipped]))).toMatchObject({ unchanged: 1 });
});

it("a blank line may be long", async () => {
  const engine = await scratchEngine();
  expect(await engine.ingestCalls(stream([`${" ".repeat(100)}\n`, ndjson([T])]))).toMatchObject({
    received: 1,
  });
});

it("a text column of Parquet that is not one JSON value is refused, and adds no members", async () => {
  const engine = await scratchEngine();
  const file = scratchPath("x.parquet");
  await runOn(
    ":memory:",
    `COPY (SELECT ${COLUMNS}, '1,"deleted_at":"2026-01-01T00:00:00Z"' AS output) TO '${file}' (FORMAT parquet)`,
  );
  expect(await refusal(engine.ingestCalls(file))).toMatchObject({ path: ["output"] });
});

it("a Parquet file whose name looks like a pattern is read alone", async () => {
  const engine = await scratchEngine();
  const [a, b] = [scratchPath("x.parquet"), ""];
  await runOn(":memory:", `COPY (SELECT ${COLUMNS}) TO '${a}' (FORMAT parquet)`);
  const star = path.join(path.dirname(a), "f*.parquet");
  renameSync(a, star);
  await runOn(
    ":memory:",
    `COPY (SELECT ${COLUMNS.replace("'t'", "'u'")}) TO '${path.join(path.dirname(a), "f2.parquet")}' (FORMAT parquet)`,
  );
  expect(await engine.ingestCalls(star)).toMatchObject({ received: 1 });
  expect(b).toBe("");
});

it("a null value of a dataset row may come in Parquet", async () => {
  const engine = await scratchEngine();
  const file = scratchPath("x.parquet");
  await runOn(
    ":memory:",
    `COPY (SELECT '${PROJECT}' AS project_id, 'd' AS digest, NULL::VARCHAR AS val) TO '${file}' (FORMAT parquet)`,
  );
  expect(await engine.ingestRows(file)).toMatchObject({ stored: 1 });
});

it("an id that begins with U+FEFF, which the database client would drop, is refused", async () => {
  const engine = await scratchEngine();
  for (const member of ["id", "parent_id"]) {
    const refused = await refusal(engine.ingestCalls([trial(EVALUATION, 1, {}, { [member]: "\ufeffe" })]));
    expect(refused).toMatchObject({ code: "invalid_record", path: [member] });
  }
});

it("members that are unknown are counted, also in records that say nothing new", async () => {
  const engine = await scratchEngine();
  for (let i = 0; i < 2; i++)
    expect(await engine.ingestCalls([{ ...T, extra: 1 }])).toMatchObject({ unknown_members: { extra: 1 } });
});

it("null is refused as a source like any other", async () => {
  const engine = await scratchEngine();
  expect(await refusal(engine.ingestCalls(JSON.parse("null")))).toMatchObject({ code: "invalid_source" });
});

it("a filter of a few hundred letters is compiled to no more than some ten thousand", async () => {
  const engine = await scratchEngine();
  await engine.ingestCalls([T]);
  let expression: object = { $getField: "inputs.q" };
  for (let i = 0; i < 8; i++) expression = { $eq: [expression, { $getField: "inputs.q" }] };
  const request = JSON.parse(
    JSON.stringify({ evaluation_call_ids: [EVALUATION], filters: [{ query: { $expr: expression } }] }),
  );
  const { statements } = await engine.explain(PROJECT, request);
  expect(statements.map(({ sql }) => sql.length).filter((length) => length >= 50_000)).toEqual([]);
});

/** Asks for the rows whose `inputs.q` is one of so many numbers from 50 on. */
function among(count: number): EvalResultsRequest {
  const options = Array.from({ length: count }, (_, i) => ({ $literal: i + 50 }));
  return { filters: [{ query: { $expr: { $in: [{ $getField: "inputs.q" }, options] } } }] };
}

it("however many options an input has, it is read once", async () => {
  const engine = await scratchEngine();
  await engine.ingestCalls(Array.from({ length: 100 }, (_, i) => trial(`t${i}`, { q: i })));
  const readings = async (count: number) => {
    const { statements } = await engine.explain(PROJECT, {
      evaluation_call_ids: [EVALUATION],
      ...among(count),
    });
    return statements.map(({ sql }) => sql.split("json_number(").length);
  };
  expect(await readings(4000)).toEqual(await readings(2));
  expect((await askAll(engine, among(4000))).total_rows).toBe(50);
  expect(await storedIds(engine)).toHaveLength(100);
});
