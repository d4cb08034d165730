import type { Engine, IngestSource } from "../../src/index.ts";
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

const CALLS = `SELECT $1 AS project_id, id, op_name, trace_id, parent_id, display_name, started_at, ended_at,
  exception, attributes, inputs, output, summary FROM calls`;

/** The stored calls of a project as a file with a column a member, or as a table in memory. */
export async function exportCalls(
  engine: Engine,
  project: string,
  format: "parquet" | "arrow" | "table",
): Promise<IngestSource> {
  if (format === "table") return await engine.sql(project, CALLS, [project]);
  const path = scratchPath(`calls.${format}`);
  await engine.exportSql(project, CALLS, [project], { format, path });
  return path;
}
