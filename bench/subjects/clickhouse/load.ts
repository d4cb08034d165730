import type { DataFiles } from "../../generate/files.ts";
import type { Database } from "./database.ts";

const callsTable = `create table calls_complete (
  id String, project_id String, op_name String, display_name Nullable(String), trace_id String,
  parent_id Nullable(String), started_at DateTime64(6), ended_at Nullable(DateTime64(6)),
  exception Nullable(String), attributes_dump String, inputs_dump String, output_dump String,
  summary_dump String, deleted_at DateTime64(3) default 0,
  index by_id id type bloom_filter(0.001) granularity 1,
  index by_parent ifNull(parent_id, '') type bloom_filter(0.001) granularity 1
) engine = MergeTree order by (project_id, started_at, id)`;

const rowsTable = `create table table_rows (project_id String, digest String, val_dump String)
  engine = MergeTree order by (project_id, digest)`;

const callMembers = `id String, project_id String, op_name String, display_name Nullable(String),
  trace_id String, parent_id Nullable(String), started_at DateTime64(6), ended_at Nullable(DateTime64(6)),
  exception Nullable(String), attributes String, inputs String, output String, summary String`;

const readSettings = `settings date_time_input_format = 'best_effort',
  input_format_json_read_objects_as_strings = 1, input_format_json_read_bools_as_strings = 1,
  input_format_json_read_numbers_as_strings = 1, input_format_null_as_default = 1,
  input_format_skip_unknown_fields = 1`;

export async function loadTables(database: Database, files: DataFiles): Promise<void> {
  await database.run(callsTable);
  await database.run(rowsTable);
  await addCalls(database, files.calls);
  await database.run(
    `insert into table_rows select project_id, digest, val
    from file({file:String}, 'JSONEachRow', 'project_id String, digest String, val String') ${readSettings}`,
    { file: files.rows },
  );
}

export async function addCalls(database: Database, file: string): Promise<void> {
  await database.run(
    `insert into calls_complete (id, project_id, op_name, display_name, trace_id, parent_id, started_at,
      ended_at, exception, attributes_dump, inputs_dump, output_dump, summary_dump)
    select id, project_id, op_name, display_name, trace_id, parent_id, started_at,
      ended_at, exception, attributes, inputs, output, summary
    from file({file:String}, 'JSONEachRow', '${callMembers}') ${readSettings}`,
    { file },
  );
}
