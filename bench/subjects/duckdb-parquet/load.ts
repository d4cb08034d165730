import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import type { DataFiles } from "../../generate/files.ts";
import { openDatabase, quote, type Database } from "../duckdb-json/database.ts";
import { rowDigest } from "../duckdb-json/select-page.ts";

const fileNames = ["dataset", "evaluations", "trials"] as const;

/** Opens the files in the folder as views of their names. */
export async function openFiles(folder: string): Promise<Database> {
  const database = await openDatabase(":memory:");
  for (const name of fileNames)
    await database.run(`create view ${name} as from ${quote(path.join(folder, `${name}.parquet`))}`);
  return database;
}

/** Writes a file each of dataset rows, evaluations and trials, with a typed column for all that is asked. */
export async function writeFiles(files: DataFiles, folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const scratch = path.join(folder, "scratch.duckdb");
  const database = await openDatabase(scratch);
  try {
    await database.run("set preserve_insertion_order = false");
    await database.run(`create table calls as from ${readJson(files.calls, callColumns)}`);
    const write = async (name: (typeof fileNames)[number], select: string) =>
      database.run(
        `copy (${select}) to ${quote(path.join(folder, `${name}.parquet`))} (format parquet, compression zstd)`,
      );
    await write("evaluations", evaluations);
    await write("trials", trials);
    await write("dataset", datasetRows(files));
  } finally {
    database.close();
    for (const suffix of ["", ".wal"]) await rm(`${scratch}${suffix}`, { force: true });
  }
}

const callColumns = {
  id: "VARCHAR",
  parent_id: "VARCHAR",
  op_name: "VARCHAR",
  display_name: "VARCHAR",
  trace_id: "VARCHAR",
  started_at: "TIMESTAMP",
  ended_at: "TIMESTAMP",
  inputs: "JSON",
  output: "JSON",
  summary: "JSON",
};

const isTrial = "contains(op_name, '/op/Evaluation.predict_and_score:')";

const evaluations = `select id as evaluation, display_name, trace_id, inputs ->> '$.self' as evaluation_ref,
    inputs ->> '$.model' as model_ref, strftime(started_at, '%Y-%m-%dT%H:%M:%S.%fZ') as started_at
  from calls where contains(op_name, '/op/Evaluation.evaluate:')`;

/** In the order of rows, so that the trials of a page lie together. */
const trials = `
  with own as (
    select id, parent_id, started_at, output, ${rowDigest} as digest
    from (select *, inputs ->> '$.example' as example from calls where ${isTrial})
  )
  select own.id as trial, own.parent_id as evaluation, digest, epoch_us(own.started_at) as started_at,
    own.output -> '$.output' as output, own.output ->> '$.output.answer' as answer,
    (own.output ->> '$.scores.correct')::boolean as correct,
    (own.output ->> '$.scores.judge.rubric.clarity')::double as judge_clarity,
    (own.output ->> '$.scores.judge.rubric.grounded')::boolean as judge_grounded,
    (own.output ->> '$.scores.judge.score')::double as judge_score,
    own.output ->> '$.scores.judge.tone' as judge_tone,
    predict.id as predict_call, (epoch_us(predict.ended_at) - epoch_us(predict.started_at)) / 1e6 as latency,
    list_sum((predict.summary ->> '$.usage.*.total_tokens')::bigint[])::bigint as tokens,
    correct.id as correct_call, judge.id as judge_call
  from own
    left join calls as predict on predict.parent_id = own.id and contains(predict.op_name, '.predict:')
    left join calls as correct on correct.parent_id = own.id and contains(correct.op_name, '/op/correct.score:')
    left join calls as judge on judge.parent_id = own.id and contains(judge.op_name, '/op/judge.score:')
  order by digest, evaluation, own.started_at`;

/** Every fourth row stands in the calls alone. */
function datasetRows(files: DataFiles): string {
  const inline = `select distinct inputs -> '$.example' as value from calls
    where ${isTrial} and json_type(inputs, '$.example') = 'OBJECT'`;
  return `select digest, value ->> '$.question' as question, value from (
      select digest, val as value from ${readJson(files.rows, { digest: "VARCHAR", val: "JSON" })}
      union all select ${rowDigest} as digest, value from (select value::varchar as example, value from (${inline}))
    ) order by digest`;
}

function readJson(file: string, columns: Readonly<Record<string, string>>): string {
  const declared = Object.entries(columns).map(([name, type]) => `${name}: ${quote(type)}`);
  return `read_json(${quote(file)}, format = 'newline_delimited', columns = {${declared.join(", ")}})`;
}
