import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";
import { openEngine, type Engine } from "../../src/index.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { runOn } from "../support/duckdb.ts";

/* Statements over texts of 20 kB, beside a table of DuckDB that has the same values. */

const TEXTS: readonly unknown[] = [
  "b".repeat(20_000),
  { messages: [{ role: "user", content: `${"c ".repeat(9000)}needle` }], answer: "yes" },
  "short",
  ["a", "d".repeat(9000)],
  "b".repeat(20_000),
  `${"a".repeat(15_000)} "quoted" ä語😀`,
];
const folder = mkdtempSync(join(tmpdir(), "evalcube-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const path = join(folder, "texts.duckdb");
let engine: Engine;
let oracle: DuckDBConnection;
let instance: DuckDBInstance;
let mark: string;

beforeAll(async () => {
  const writing = await openEngine({ path });
  const outputs = TEXTS.map((output, i) => ({ output, scores: { acc: i % 2 } }));
  await writing.ingestCalls([
    root(),
    ...outputs.map((output, i) => trial(`t${i}`, { q: i }, {}, { output })),
  ]);
  await writing.close();
  mark = String((await runOn(path, "SELECT mark FROM text_mark"))[0]?.[0]);
  instance = await DuckDBInstance.create(":memory:");
  oracle = await instance.connect();
  await oracle.run("CREATE TABLE trials (trial_id VARCHAR, output JSON, model_output JSON)");
  for (const [i, output] of outputs.entries()) {
    const values = [`t${i}`, JSON.stringify(output), JSON.stringify(output.output)];
    await oracle.run("INSERT INTO trials VALUES ($1, $2, $3)", values);
  }
  engine = await openEngine({ path, readOnly: true });
});
afterAll(async () => {
  await engine.close();
  oracle.closeSync();
  instance.closeSync();
});

const STATEMENTS = [
  "select trial_id, model_output from trials order by trial_id",
  "select model_output as Answer, output from trials order by trial_id limit 2 offset 1",
  "select t.model_output from trials as t where t.trial_id > 't2' order by t.trial_id desc",
  "select trial_id, model_output as a, model_output as b from trials order by trial_id",
  "select trial_id as output, model_output from trials order by 1",
  "select model_output as trial_id from trials where trials.trial_id < 't3' order by trials.trial_id",
  "select model_output as m from trials order by m, trial_id",
  "select model_output as m, trial_id from trials where m like '%needle%'",
  "select model_output from trials order by 1",
  "select model_output from trials order by all",
  "select model_output from (select trial_id, model_output from trials) order by trial_id",
  "select distinct model_output from trials order by model_output",
  "select distinct on (trial_id) model_output from trials order by trial_id",
  "select model_output, count(*)::int as n from trials group by all order by all",
  "select model_output, count(*)::int as n from trials group by model_output order by model_output",
  "select model_output, count(*)::int as n from trials group by 1 order by n, 1",
  "select trial_id, model_output from trials order by 2 desc, 1 limit 3",
  "select model_output from trials union select output from trials order by 1",
  "select trial_id, model_output from trials where model_output::varchar > 'b' order by trial_id",
  "select trial_id, length(model_output)::int as n from trials order by trial_id",
  "select trial_id, model_output, length(output)::int as n from trials order by trial_id",
  "select trial_id, model_output ->> 'answer' as a from trials order by trial_id",
  "select trial_id, output -> 'output' as o from trials order by trial_id",
  "select a.model_output from trials a join trials b using (model_output) order by a.trial_id, b.trial_id",
  "select a.trial_id, b.output from trials a join trials b on a.trial_id = b.trial_id order by a.trial_id",
  "select * exclude (trial_id) from (select trial_id, model_output, output from trials) order by trial_id",
  "select columns('.*output') from (select trial_id, model_output, output from trials) order by trial_id",
  "with x as (select model_output as v, trial_id from trials) select v from x order by trial_id",
  "select x from (select model_output, trial_id from trials) as t(x, y) order by y",
  "select t.m from (select {'m': model_output} as t, trial_id from trials) order by trial_id",
  "select first(model_output order by trial_id) as f from trials",
  "select row_number() over (order by model_output, trial_id)::int as n, trial_id from trials order by 2",
  "select model_output from trials where model_output in (select model_output from trials where trial_id = 't1')",
  "select (select model_output from trials where trial_id = 't5') as sub",
  "select model_output from trials qualify row_number() over (order by trial_id) = 2",
  "from trials select model_output order by trial_id limit 1",
];

describe("statements over long texts", () => {
  it.each(STATEMENTS)("answer as over a table of whole texts: %s", async (statement) => {
    const asked = (await engine.sql(PROJECT, statement)).toArray().map((row) => row.toJSON() as object);
    const expected = (await oracle.runAndReadAll(statement)).getRowObjectsJson();
    expect(asked).toEqual(expected);
  });

  it.each([
    "select * from trials",
    "select * from results",
    "select * from calls",
    "select * from rows",
    "select * from trials t, calls c",
    "select t from trials t",
    "select c, c.record from calls c",
    "select * exclude (output) from trials",
    "select trials.* from trials",
    "select columns(*) from trials",
    "select json_object('t', t) as j from trials t",
    "select * from trials order by all",
    "summarize select model_output from trials",
    "select unnest(t) from trials t",
  ])("show no sign of how texts are stored: %s", async (statement) => {
    const table = await engine.sql(PROJECT, statement);
    const text = JSON.stringify(table.toArray(), (_, value: unknown) =>
      typeof value === "bigint" ? String(value) : value,
    );
    expect(text.length).toBeGreaterThan(2);
    expect(text).not.toContain(mark);
    expect(table.schema.fields.map(({ name }) => name).join(" ")).not.toContain("text_bytes");
  });

  it("select all columns of one view with whole texts", async () => {
    const [first] = (await engine.sql(PROJECT, "select * from trials order by trial_id limit 1")).toArray();
    expect(JSON.parse(String(first?.["model_output"]))).toEqual(TEXTS[0]);
    expect(Object.keys(first?.toJSON() as object)).toEqual([
      "trial_id",
      "evaluation_call_id",
      "row_digest",
      "predict_call_id",
      "started_at",
      "model_latency_seconds",
      "total_tokens",
      "stop_reason",
      "model_output",
      "output",
    ]);
  });
});

/** A text of about 600 kB. */
function longText(seed: number): string {
  const numbers = Array.from({ length: 150_000 }, (_, n) => (n * 7919 + seed * 104_729) % 99_991);
  return numbers.map((one) => one.toString(36)).join(" ");
}

describe("in little memory", () => {
  const small = join(folder, "small.duckdb");
  let little: Engine;
  beforeAll(async () => {
    const writing = await openEngine({ path: small });
    const trials = Array.from({ length: 120 }, (_, i) =>
      trial(`t${i}`, { i }, {}, { output: { output: longText(i) } }),
    );
    await writing.ingestCalls([root(), ...trials]);
    await writing.close();
    little = await openEngine({ path: small, readOnly: true, memoryLimit: "100MiB" });
  });
  afterAll(() => little.close());

  it.each([
    "select model_output from trials where trial_id = 't5'",
    "select length(model_output)::int as n from trials where trial_id = 't5'",
    "select record from calls where id = 't5'",
    "select * from results where trial_id = 't5'",
    "select model_output from trials order by started_at, trial_id limit 1",
    "select trial_id, row_digest from trials limit 1",
    "select id, inputs from calls where id = 't5'",
  ])("answer what needs few texts: %s", async (statement) => {
    expect((await little.sql(PROJECT, statement)).numRows).toBe(1);
  });

  it.each([
    ["select sum(length(model_output))::double as n from trials", "model_output"],
    ["select max(record::varchar) as m from calls", "record"],
    ["select distinct t.output from trials t", "output"],
  ])("name the texts that are too many, and how to read fewer: %s", async (statement, column) => {
    await expect(little.sql(PROJECT, statement)).rejects.toMatchObject({
      code: "memory_limit",
      message: `the statement took more memory than the engine may use; it reads the long texts of ${column}: keep fewer records by where, or select the column itself, and set a limit`,
    });
  });
});
