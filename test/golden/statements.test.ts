import { DUCKDB } from "../../src/duckdb/dialect/dialect.ts";
import { readdirSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { openCore } from "../../src/engine/engine.ts";
import type { EvalResultsRequest } from "../../src/index.ts";
import { sql, statement, type Sql } from "../../src/store/sql.ts";
import { PROJECT } from "../support/records.ts";
import { RECORDS } from "./records.ts";
import { compiledStatements, type FullPlan } from "./statements.ts";
import { writeStatement } from "./write-statement.ts";

const REQUEST: EvalResultsRequest = {
  evaluation_call_ids: ["e", "f"],
  include_raw_data_rows: true,
  include_summary: true,
  derived_scores: { total: "0.7 * acc + 0.3 * ok" },
  filters: [{ query: { $expr: { $lte: [{ $getField: "scores.acc" }, { $literal: 0.9 }] } } }],
  sort_by: [{ field: "scores.acc", direction: "desc" }],
  limit: 10,
};

const core = await openCore({ threads: 1 });
await core.ingestCalls(RECORDS);
const plan = (await core.explain(PROJECT, REQUEST)).plan as FullPlan | null;
const acc = plan?.summary.scorePaths.find(({ path: [name] }) => name === "acc");
const ok = plan?.summary.scorePaths.find(({ path: [name] }) => name === "ok");
if (plan === null || acc === undefined || ok === undefined) throw new Error("nothing was stored");
const statements = Object.entries(compiledStatements(plan, acc, ok));

beforeAll(() => () => core.close());

describe("the SQL of a compiler", () => {
  it.each(statements)("%s is what is written down", async (name, compiled) => {
    const own = "parts" in compiled ? compiled : compiled.sql;
    const file = path.join(import.meta.dirname, "statements", `${name}.sql`);
    await expect(writeStatement(statement(own, DUCKDB))).toMatchFileSnapshot(file);
  });

  it.each(statements)("%s is understood by DuckDB, with the values bound", async (_name, compiled) => {
    const own: Sql = "parts" in compiled ? compiled : compiled.sql;
    const [explained] = await core.store.write((session) => session.rows(sql`EXPLAIN ${own}`));
    expect(String(explained?.[1])).toContain("─");
  });

  it.each(statements.flatMap(([name, one]) => ("parts" in one ? [] : [{ name, query: one }])))(
    "$name reads what it selects",
    async ({ query }) => {
      const found = await core.store.read((session) => session.all(query));
      for (const record of found) expect(Object.values(record as object)).not.toContain(undefined);
    },
  );

  it("is written down for all compilers, and for nothing else", async () => {
    const folder = path.join(import.meta.dirname, "../../src/compile");
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".ts"),
    );
    const modules = await Promise.all(files.map((name): Promise<object> => import(path.join(folder, name))));
    const compilers = modules.flatMap((one) => Object.keys(one)).filter((name) => name.startsWith("compile"));
    const cases = new Set(statements.map(([name]) => name.split(" ")[0]));
    expect(cases).toEqual(new Set(compilers.filter((name) => name !== "compileCondition")));
    const written = readdirSync(path.join(import.meta.dirname, "statements"));
    expect(new Set(written)).toEqual(new Set(statements.map(([name]) => `${name}.sql`)));
  });
});
