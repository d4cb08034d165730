import { evaluationIds } from "../../generate/evaluation-run.ts";
import type { DataFiles } from "../../generate/files.ts";
import { quote, type Database } from "../duckdb-json/database.ts";
import { rowDigest } from "../duckdb-json/select-page.ts";
import { leafPath, scoreLeaves } from "../score-leaves.ts";

/** Narrow columns only: evaluations, rows (in digest order) and score paths are small integers. */
export async function loadNarrow(database: Database, files: DataFiles): Promise<void> {
  const ids = evaluationIds(files.parameters).map(quote).join(", ");
  const leaves = scoreLeaves.map((leaf) => quote(leafPath(leaf))).join(", ");
  await database.run(`create table evaluations as
    select unnest([${ids}]) as id, generate_subscripts([${ids}], 1)::utinyint - 1 as evaluation`);
  await database.run(`create temp table trials as
    select evaluation::utinyint as evaluation, ${rowDigest} as digest, leaves
    from (
      select parent_id as id, inputs->>'$.example' as example,
        json_extract_string(output, [${leaves}]) as leaves
      from read_json(${quote(files.calls)}, format = 'newline_delimited',
        columns = {parent_id: 'VARCHAR', op_name: 'VARCHAR', inputs: 'JSON', output: 'JSON'})
      where contains(op_name, '/op/Evaluation.predict_and_score:')
    ) join evaluations using (id)`);
  await database.run(`create table digests as
    select digest, (row_number() over (order by digest))::uinteger as row
    from (select distinct digest from trials)`);
  const paths = scoreLeaves.map((leaf, index) => leafQuery(leaf.kind, index)).join(" union all ");
  await database.run(`create table scores as from (${paths}) order by path, evaluation, row`);
  await database.run("drop table trials");
  await database.run("checkpoint");
}

function leafQuery(kind: "boolean" | "number" | "text", index: number): string {
  const text = `leaves[${index + 1}]`;
  return `select evaluation, row, ${index}::utinyint as path, ${text} is not null as present,
    ${kind === "number" ? `${text}::double` : "null::double"} as numeric,
    ${kind === "boolean" ? `${text}::boolean` : "null::boolean"} as boolean
  from trials join digests using (digest)`;
}
