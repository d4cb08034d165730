import { projectId } from "../../generate/parameters.ts";
import type { Page, Question } from "../../question.ts";
import type { PageCalls } from "../answer-page.ts";
import { isScoreCall, opName, sumTokens, type ChildFacts, type TrialFacts } from "../trial-record.ts";
import type { Database, Row } from "./database.ts";
import { questionParameters, rankedDigests } from "./ranked-digests.ts";

export interface ClickHousePage extends PageCalls {
  readonly totalRows: number;
}

/** The reference system's chain to the page and its calls in one statement, then one for the child calls. */
export async function readPage(database: Database, question: Question, page: Page): Promise<ClickHousePage> {
  const rows = await database.run(pageQuery(question, page), questionParameters(question));
  const children = await database.run(
    `select id, parent_id, op_name, inputs_dump, attributes_dump, summary_dump,
      toUnixTimestamp64Micro(started_at) as started, toUnixTimestamp64Micro(ended_at) as ended
    from calls_complete prewhere project_id = {project:String}
    where ifNull(parent_id, '') in {ids:Array(String)}`,
    { project: projectId, ids: rows.map((row) => String(row["call_id"])) },
  );
  return {
    totalRows: Number(rows[0]?.["total"] ?? 0),
    digests: [...new Set(rows.map((row) => String(row["row_digest"])))],
    trials: rows.map(trialFacts),
    children: children.map(childFacts),
    datasetRows: new Map(
      rows.map((row) => [String(row["row_digest"]), JSON.parse(String(row["resolved_inputs"]))]),
    ),
  };
}

function pageQuery(question: Question, page: Page): string {
  return `with ${rankedDigests(question)},
  ranked_digest_count as (select count(*) as total_rows from ranked_digests),
  page_digests as (
    select row_digest, row_order from ranked_digests order by row_order
    limit ${page.limit} offset ${page.offset}
  ),
  page_resolved_inputs as (
    select digest, any(val_dump) as val_dump from table_rows
    prewhere project_id = {project:String}
    where digest in (select row_digest from page_digests)
    group by digest
  ),
  page_rows as (
    select calls.call_id as call_id, calls.eval_call_id as eval_call_id, calls.row_digest as row_digest,
      page_digests.row_order as row_order,
      coalesce(nullIf(inputs.val_dump, ''), JSONExtractRaw(calls.inputs_dump, 'example')) as resolved_inputs
    from predict_and_score_calls_resolved as calls
    inner join page_digests on calls.row_digest = page_digests.row_digest
    left join page_resolved_inputs as inputs on inputs.digest = calls.row_digest
  ),
  page_calls as (
    select id as call_id, started_at, inputs_dump, output_dump from calls_complete
    where project_id = {project:String} and id in (select call_id from page_rows)
  )
  select page_rows.call_id as call_id, page_rows.eval_call_id as eval_call_id,
    page_rows.row_digest as row_digest, page_rows.resolved_inputs as resolved_inputs,
    toUnixTimestamp64Micro(page_calls.started_at) as started, page_calls.inputs_dump as inputs_dump,
    page_calls.output_dump as output_dump, (select total_rows from ranked_digest_count) as total
  from page_rows left join page_calls on page_calls.call_id = page_rows.call_id
  order by page_rows.row_order asc`;
}

function trialFacts(row: Row): TrialFacts {
  const inputs = JSON.parse(String(row["inputs_dump"]));
  return {
    id: String(row["call_id"]),
    evaluationId: String(row["eval_call_id"]),
    digest: String(row["row_digest"]),
    startedAt: Number(row["started"]),
    model: typeof inputs.model === "string" ? inputs.model : null,
    example: inputs.example ?? null,
    output: JSON.parse(String(row["output_dump"])),
  };
}

function childFacts(row: Row): ChildFacts {
  const { self } = JSON.parse(String(row["inputs_dump"]));
  return {
    id: String(row["id"]),
    parentId: String(row["parent_id"]),
    opName: opName(String(row["op_name"])),
    self: typeof self === "string" ? self : null,
    isScore: isScoreCall(JSON.parse(String(row["attributes_dump"]))),
    startedAt: Number(row["started"]),
    endedAt: row["ended"] === null ? null : Number(row["ended"]),
    tokens: sumTokens(JSON.parse(String(row["summary_dump"]))),
  };
}
