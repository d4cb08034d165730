import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { EVALUATION, PROJECT } from "../support/records.ts";
import { runOn } from "../support/duckdb.ts";
import { askAll, storedIds } from "../support/queries.ts";
import { refusal } from "../support/refusal.ts";
import { scratchEngine, scratchFolder, scratchPath } from "../support/scratch.ts";

const BASE = `'t' AS id, '${PROJECT}' AS project_id, 'Evaluation.predict_and_score' AS op_name, '${EVALUATION}' AS parent_id`;
const TEXT_TIME = "'2026-01-01T00:00:00Z' AS started_at";

/** A Parquet file of what a query answers. */
async function parquet(query: string, name = "it's.parquet"): Promise<string> {
  const file = scratchPath(name);
  await runOn(":memory:", `COPY (${query}) TO '${file.replaceAll("'", "''")}' (FORMAT parquet)`);
  return file;
}

async function loaded(query: string) {
  const engine = await scratchEngine();
  expect(await engine.ingestCalls(await parquet(query))).toMatchObject({
    received: 1,
    stored: 1,
    unknown_members: {},
  });
  const { rows } = await askAll(engine);
  return { example: rows[0]?.raw_data_row, trial: rows[0]?.evaluations[0]?.trials[0] };
}

describe("calls in Parquet", () => {
  it("are known by their first bytes where the name tells no format", async () => {
    const engine = await scratchEngine();
    const file = await parquet(`SELECT ${BASE}, ${TEXT_TIME}`, "part-0000");
    expect(await engine.ingestCalls(file)).toMatchObject({ received: 1, stored: 1 });
  });

  it.each([
    [
      "JSON text",
      `'{"example":{"q":1,"none":null}}' AS inputs, '{"output":"x","scores":{"a":0.5,"b":true}}' AS output`,
    ],
    [
      "JSON",
      `'{"example":{"q":1,"none":null}}'::JSON AS inputs, '{"output":"x","scores":{"a":0.5,"b":true}}'::JSON AS output`,
    ],
    [
      "structs",
      "{'example': {'q': 1, 'none': NULL}} AS inputs, {'output': 'x', 'scores': {'a': 0.5::DOUBLE, 'b': true}} AS output",
    ],
    [
      "maps",
      "MAP {'example': MAP {'q': 1, 'none': NULL}} AS inputs, {'output': 'x', 'scores': {'a': 0.5::FLOAT, 'b': true}} AS output",
    ],
  ])("may hold payloads as %s", async (_kind, payloads) => {
    const { example, trial } = await loaded(`SELECT ${BASE}, ${TEXT_TIME}, ${payloads}`);
    expect(example).toEqual({ q: 1, none: null });
    expect(trial).toMatchObject({ model_output: "x", scores: { a: 0.5, b: true } });
  });

  it.each([
    ["a timestamp, in UTC", "TIMESTAMP '2026-01-31 12:00:00.123456'", "123456"],
    ["a timestamp with time zone", "TIMESTAMPTZ '2026-01-31 17:30:00.123456+05:30'", "123456"],
    ["a timestamp in milliseconds", "TIMESTAMP_MS '2026-01-31 12:00:00.123'", "123000"],
    ["bytes", "encode('2026-01-31T12:00:00.123456Z')", "123456"],
    ["a timestamp in nanoseconds", "TIMESTAMP_NS '2026-01-31 12:00:00.123456789'", "123456"],
    ["a text", "'2026-01-31T13:00:00.123456+01:00'", "123456"],
  ])("may hold times as %s", async (_kind, time, fraction) => {
    const engine = await scratchEngine();
    const root = `'${EVALUATION}' AS id, '${PROJECT}' AS project_id, 'Evaluation.evaluate' AS op_name`;
    await engine.ingestCalls(
      await parquet(`SELECT ${root}, ${time} AS started_at, NULL::VARCHAR AS display_name`),
    );
    expect(await engine.listEvaluations(PROJECT)).toMatchObject([
      { started_at: `2026-01-31T12:00:00.${fraction}Z` },
    ]);
  });

  it("keep integers beyond 2^53 digit for digit, in text and in columns", async () => {
    const inputs =
      "{'example': {'u': 18446744073709551615::UBIGINT, 'i': -9007199254740993::BIGINT}} AS inputs";
    const output = `'{"scores":{"n":123456789012345678901234567890}}' AS output`;
    const { example, trial } = await loaded(`SELECT ${BASE}, ${TEXT_TIME}, ${inputs}, ${output}`);
    expect(example).toEqual({ u: 18446744073709551615n, i: -9007199254740993n });
    expect(trial?.scores).toEqual({ n: 123456789012345678901234567890n });
  });

  it("may hold nulls, which say nothing", async () => {
    const nulls = ["inputs", "output", "ended_at", "exception", "deleted_at"].map(
      (name) => `NULL::VARCHAR AS ${name}`,
    );
    const { example, trial } = await loaded(`SELECT ${BASE}, ${TEXT_TIME}, ${nulls.join()}`);
    expect(example).toBeNull();
    expect(trial).toMatchObject({ model_output: null, scores: {} });
  });

  it("keep members of any name, and count them", async () => {
    const engine = await scratchEngine();
    const file = await parquet(`SELECT ${BASE}, ${TEXT_TIME}, 1 AS "a""b'c\\d", [1, 2] AS "é😀"`);
    expect(await engine.ingestCalls(file)).toMatchObject({ unknown_members: { "a\"b'c\\d": 1, "é😀": 1 } });
  });

  it("come by the thousand, in their order", async () => {
    const engine = await scratchEngine();
    const id = `'t' || i AS id, '${PROJECT}' AS project_id, 'Evaluation.predict_and_score' AS op_name, '${EVALUATION}' AS parent_id`;
    const records = `SELECT ${id}, ${TEXT_TIME}, {'example': i} AS inputs FROM range(30000) AS r(i)`;
    expect(await engine.ingestCalls(await parquet(records))).toMatchObject({ stored: 30_000 });
    expect((await askAll(engine, { limit: 0 })).total_rows).toBe(30_000);
    const project = `CASE i WHEN 4321 THEN NULL ELSE '${PROJECT}' END AS project_id`;
    const error = await refusal(
      engine.ingestCalls(
        await parquet(
          `SELECT 'u' || i AS id, ${project}, 'x' AS op_name, ${TEXT_TIME} FROM range(9000) AS r(i)`,
        ),
      ),
    );
    expect(error).toMatchObject({ code: "invalid_record", position: 4322, path: ["project_id"] });
    expect((await askAll(engine, { limit: 0 })).total_rows).toBe(30_000);
  });

  it("may hold text as bytes, and other bytes, which become base64", async () => {
    const engine = await scratchEngine();
    const payload = `encode('{"example":{"q":"é"}}') AS inputs`;
    const raw = `'\\x01\\xFF'::BLOB AS raw, encode('no JSON') AS exception`;
    const file = await parquet(
      `SELECT ${BASE.replace("'t' AS id", "encode('t') AS id")}, ${TEXT_TIME}, ${payload}, ${raw}`,
    );
    expect(await engine.ingestCalls(file)).toMatchObject({ stored: 1, unknown_members: { raw: 1 } });
    expect((await askAll(engine)).rows[0]?.raw_data_row).toEqual({ q: "é" });
    const wrong = await parquet(`SELECT ${BASE}, ${TEXT_TIME}, '\\xFF'::BLOB AS display_name`);
    expect(await refusal(engine.ingestCalls(wrong))).toMatchObject({ position: 1, path: ["display_name"] });
  });

  it("spell times and bytes inside of columns as those in Arrow are", async () => {
    const inner = `'"b c"d"': [TIMESTAMP '2026-01-31 12:00:00.5', NULL], m: MAP {5: {'x': '\\x01'::BLOB, 'e': 'a(''b'::ENUM('a(''b', 'c')}}`;
    const value = `{'t': TIMESTAMPTZ '2026-01-31 17:30:00+05:30', ${inner}, n: NULL::BLOB, d: 1.50::DECIMAL(5,2), l: [[1, 2]]}`;
    const { example } = await loaded(
      `SELECT ${BASE}, ${TEXT_TIME}, {'example': ${value}} AS inputs, {'scores': {'when': DATE '2026-01-31'}} AS output`,
    );
    expect(example).toEqual({
      t: "2026-01-31T12:00:00.000000Z",
      '"b c"d"': ["2026-01-31T12:00:00.500000", null],
      m: { 5: { x: "AQ==", e: "a('b" } },
      n: null,
      d: 1.5,
      l: [[1, 2]],
    });
  });

  it("may be spread over a folder, with columns in the names of folders", async () => {
    const folder = scratchFolder();
    const partition = path.join(folder, `project_id=${encodeURIComponent(PROJECT)}`);
    for (const [day, ids] of [
      ["01", "a"],
      ["02", "b"],
    ] as const) {
      const inside = path.join(partition, `day=2026-01-${day}`);
      mkdirSync(inside, { recursive: true });
      const records = `SELECT '${ids}' || i AS id, 'Evaluation.predict_and_score' AS op_name, '${EVALUATION}' AS parent_id, ${TEXT_TIME} FROM range(5) AS r(i)`;
      await runOn(":memory:", `COPY (${records}) TO '${inside}/part-0.parquet' (FORMAT parquet)`);
      writeFileSync(path.join(inside, "_SUCCESS"), "");
      writeFileSync(path.join(inside, ".part-0.parquet.crc"), "");
    }
    const whole = await scratchEngine();
    expect(await whole.ingestCalls(folder)).toMatchObject({ stored: 10, unknown_members: { day: 10 } });
    expect(await storedIds(whole)).toHaveLength(10);
    const some = await scratchEngine();
    await some.ingestCalls(path.join(folder, "**/day=2026-01-0[2-9]/*.parquet"));
    expect(await storedIds(some)).toEqual(["b0", "b1", "b2", "b3", "b4"]);
  });

  it("are refused when columns are missing, with the list of them", async () => {
    const engine = await scratchEngine();
    const error = await refusal(engine.ingestCalls(await parquet("SELECT 't' AS id, 1 AS op FROM range(0)")));
    expect(error.code).toBe("invalid_schema");
    expect(error.message).toContain("it lacks the columns project_id, op_name, started_at; it has id, op");
    const rows = await refusal(engine.ingestRows(await parquet("SELECT 't' AS digest")));
    expect(rows.message).toContain(
      "cannot be dataset rows, it lacks the columns project_id, val; it has digest",
    );
  });

  it.each([
    ["a text that is not JSON", "'hello' AS output", /is not JSON/],
    ["NaN", "{'scores': {'a': 'NaN'::DOUBLE}} AS output", /is not JSON/],
    ["a list for inputs", "[1] AS inputs", /must be an object/],
    ["a number for an id", "1 AS trace_id", /must be a string/],
    ["an infinite time", "'infinity'::TIMESTAMP AS ended_at", /must be an ISO 8601 time/],
  ])("are refused with %s", async (_fault, column, reason) => {
    const engine = await scratchEngine();
    const error = await refusal(engine.ingestCalls(await parquet(`SELECT ${BASE}, ${TEXT_TIME}, ${column}`)));
    expect(error).toMatchObject({ code: "invalid_record", position: 1 });
    expect(error.message).toMatch(reason);
    expect(await storedIds(engine)).toEqual([]);
  });

  it("are refused when the file is no Parquet, with its name", async () => {
    const engine = await scratchEngine();
    const file = scratchPath("calls.parquet");
    writeFileSync(file, "nope");
    expect((await refusal(engine.ingestCalls(file))).message).toContain(file);
    expect(await storedIds(engine)).toEqual([]);
  });
});

describe("dataset rows in Parquet", () => {
  it.each([
    ["JSON text", `'{"q":[1,"x"]}'`],
    ["columns", "{'q': ['1'::JSON, '\"x\"'::JSON]}"],
  ])("may hold values as %s", async (_kind, val) => {
    const engine = await scratchEngine();
    const inputs = "{'example': 'svc:///acme/qa/object/data:v1/attr/rows/id/d1'} AS inputs";
    await engine.ingestCalls(await parquet(`SELECT ${BASE}, ${TEXT_TIME}, ${inputs}`));
    await engine.ingestRows(
      await parquet(`SELECT '${PROJECT}' AS project_id, 'd1' AS digest, ${val} AS val`),
    );
    const { rows } = await askAll(engine, { resolve_row_refs: true });
    expect(rows[0]?.raw_data_row).toEqual({ q: [1, "x"] });
  });
});
