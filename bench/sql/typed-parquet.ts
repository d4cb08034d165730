import { existsSync } from "node:fs";
import { mkdir, rename } from "node:fs/promises";
import path from "node:path";
import type { DataFiles } from "../generate/files.ts";
import { openDatabase, quote, type Database } from "../subjects/duckdb-json/database.ts";

const IS_TRIAL = "contains(op_name, '/op/Evaluation.predict_and_score:')";

/** The columns of a file, each with its type and where it stands in the record. */
type Columns = Readonly<Record<string, string>>;

const callColumns: Columns = {
  id: "id",
  trace_id: "trace_id",
  parent_id: "parent_id",
  op_name: "op_name",
  started_at: "started_at::timestamptz",
  ended_at: "ended_at::timestamptz",
  exception: "exception",
  inputs: "inputs::varchar",
  output: "output::varchar",
};

/** Every fourth row is in the calls alone. */
const datasetColumns: Columns = {
  digest: "digest",
  task: "val ->> 'id'",
  question: "val ->> 'question'",
  topic: "val ->> 'topic'",
  difficulty: "(val ->> 'difficulty')::double",
};

const trialColumns: Columns = {
  trial: "c.id",
  run: "c.parent_id",
  task: "coalesce(d.task, c.inputs ->> '$.example.id')",
  started_at: "c.started_at",
  latency: "(c.output ->> '$.model_latency')::double",
  answer: "c.output ->> '$.output.answer'",
  label: "c.output ->> '$.output.label'",
  confidence: "(c.output ->> '$.output.confidence')::double",
  correct: "(c.output ->> '$.scores.correct')::boolean",
  judge_score: "(c.output ->> '$.scores.judge.score')::double",
  judge_tone: "c.output ->> '$.scores.judge.tone'",
  judge_clarity: "(c.output ->> '$.scores.judge.rubric.clarity')::double",
  judge_grounded: "(c.output ->> '$.scores.judge.rubric.grounded')::boolean",
};

/**
 * The data as somebody lays them out who knows them: a file each of calls, dataset rows and trials, with a typed column for
 * all that is asked, in DuckDB's Parquet with zstd. Opens them as views of those names.
 */
export async function openTypedParquet(files: DataFiles): Promise<Database> {
  const folder = path.join(files.folder, "typed-parquet");
  const database = await openDatabase(":memory:");
  if (!existsSync(folder)) {
    const made = `${folder}.partial`;
    await mkdir(made, { recursive: true });
    await writeFiles(database, files, made);
    await rename(made, folder);
  }
  for (const name of ["calls", "dataset", "trials"])
    await database.run(
      `create or replace view ${name} as from ${quote(path.join(folder, `${name}.parquet`))}`,
    );
  return database;
}

async function writeFiles(database: Database, files: DataFiles, folder: string): Promise<void> {
  const write = async (name: string, columns: Columns, from: string) => {
    const list = Object.entries(columns).map(([column, value]) => `${value} as ${column}`);
    const file = path.join(folder, `${name}.parquet`);
    await database.run(
      `copy (select ${list.join(", ")} from ${from}) to ${quote(file)} (format parquet, compression zstd)`,
    );
    await database.run(`create or replace view ${name} as from ${quote(file)}`);
  };
  await write("calls", callColumns, readJson(files.calls, Object.keys(callColumns)));
  const inline = `select distinct null as digest, json_extract(inputs, '$.example') as val from calls where ${IS_TRIAL}
    and json_type(inputs, '$.example') = 'OBJECT'`;
  const stored = `select digest, val from ${readJson(files.rows, ["digest", "val"])}`;
  await write("dataset", datasetColumns, `(${stored} union all by name ${inline})`);
  await write(
    "trials",
    trialColumns,
    `calls as c left join dataset as d on d.digest = regexp_extract((c.inputs ->> '$.example'), '[^/]+$')
      where ${IS_TRIAL} order by c.started_at`,
  );
}

function readJson(file: string, names: readonly string[]): string {
  const nested = new Set(["inputs", "output", "val"]);
  const columns = names.map((name) => `${name}: ${quote(nested.has(name) ? "JSON" : "VARCHAR")}`);
  return `read_json(${quote(file)}, format = 'newline_delimited', columns = {${columns.join(", ")}})`;
}
