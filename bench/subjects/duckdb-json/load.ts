import type { DataFiles } from "../../generate/files.ts";
import { quote, type Database } from "./database.ts";

const callColumns = {
  id: "VARCHAR",
  project_id: "VARCHAR",
  op_name: "VARCHAR",
  display_name: "VARCHAR",
  trace_id: "VARCHAR",
  parent_id: "VARCHAR",
  started_at: "TIMESTAMP",
  ended_at: "TIMESTAMP",
  exception: "VARCHAR",
  attributes: "JSON",
  inputs: "JSON",
  output: "JSON",
  summary: "JSON",
};

const rowColumns = { project_id: "VARCHAR", digest: "VARCHAR", val: "JSON" };

export async function createCallTable(database: Database, { calls }: DataFiles): Promise<void> {
  await database.run("set preserve_insertion_order = false");
  await database.run(`create table calls as ${readFile(calls, callColumns)}`);
}

export async function loadTables(database: Database, files: DataFiles): Promise<void> {
  await createCallTable(database, files);
  await database.run(`create table dataset_rows as ${readFile(files.rows, rowColumns)}`);
  for (const column of ["id", "parent_id"])
    await database.run(`create index calls_by_${column} on calls (${column})`);
  await database.run("checkpoint");
}

export async function addCalls(database: Database, file: string): Promise<void> {
  await database.run(`insert into calls by name ${readFile(file, callColumns)}`);
}

function readFile(file: string, columns: Record<string, string>): string {
  const declared = Object.entries(columns).map(([name, type]) => `${name}: ${quote(type)}`);
  return `from read_json(${quote(file)}, format = 'newline_delimited', columns = {${declared.join(", ")}})`;
}
