import type { Engine } from "../../src/index.ts";
import { runOn } from "../support/duckdb.ts";
import { scratchPath } from "../support/scratch.ts";

/** The bytes of the answers that show everything of a project. */
export async function answers(engine: Engine, project: string): Promise<string[]> {
  const ids = (await engine.listEvaluations(project)).map(({ id }) => id);
  const ask = (request: object) =>
    engine.queryEvalResultsJson(project, { evaluation_call_ids: ids, ...request });
  return [
    JSON.stringify(await engine.listEvaluations(project)),
    await ask({ include_raw_data_rows: true, resolve_row_refs: true, include_summary: true }),
    await ask({ require_intersection: true, include_summary: true }),
  ];
}

const TEXTS = ["id", "project_id", "op_name", "parent_id", "display_name", "trace_id", "exception"];
const TIMES = ["started_at", "ended_at"];
const PAYLOADS = ["attributes", "inputs", "output", "summary"];

/** The stored calls as a Parquet file, taken out of a database by DuckDB: a column a member. */
export async function exportCalls(database: string): Promise<string> {
  const path = scratchPath("calls.parquet");
  const columns = [
    ...[...TEXTS, ...TIMES].map((name) => `record->>'$.${name}' AS ${name}`),
    ...PAYLOADS.map((name) => `record->'$.${name}' AS ${name}`),
  ];
  const select = `SELECT ${columns.join(", ")} FROM calls ORDER BY call_key`;
  await runOn(database, `COPY (${select}) TO '${path}' (FORMAT parquet)`);
  return path;
}
