import { projectId } from "../../generate/parameters.ts";
import { searchedInput, searchedOutput, sortedScore, type Question, type RowFilter } from "../../question.ts";
import type { Parameters } from "./database.ts";

const scoreText = `JSON_VALUE(output_dump, '$."scores".${sortedScore.map((key) => `"${key}"`).join(".")}')`;

/**
 * The reference system's first steps: predict-and-score calls with their row digest, and the digests in order. It
 * differs where the contract does: base64url digests, and a filter that any trial of a row may meet.
 */
export function rankedDigests(question: Question): string {
  return `${predictAndScoreCalls},
  predict_and_score_calls_resolved as (${resolvedCalls(question.filter)}),
  ranked_digests as (
    select row_digest, row_number() over (order by ${orderBy(question)}) as row_order
    from predict_and_score_calls_resolved
    group by row_digest
    having ${having(question)}
  )`;
}

export function questionParameters(question: Question): Parameters {
  const { filter } = question;
  return {
    project: projectId,
    evaluations: question.evaluationIds,
    ...(filter === null
      ? {}
      : filter.kind === "score above"
        ? { value: filter.value }
        : { text: filter.text }),
  };
}

const predictAndScoreCalls = `predict_and_score_calls as (
    select id as call_id, assumeNotNull(parent_id) as eval_call_id, inputs_dump, output_dump,
      case when position(JSON_VALUE(inputs_dump, '$.example'), '/attr/rows/id/') > 0
        then regexpExtract(JSON_VALUE(inputs_dump, '$.example'), '/attr/rows/id/([^/]+)$', 1)
        else trim(trailing '=' from base64URLEncode(SHA256(JSONExtractRaw(inputs_dump, 'example'))))
      end as row_digest
    from calls_complete
    prewhere project_id = {project:String}
    where parent_id in {evaluations:Array(String)} and id not in {evaluations:Array(String)}
      and multiSearchAny(op_name, ['Evaluation.predict_and_score', 'Evaluation.predictAndScore'])
      and deleted_at = toDateTime64(0, 3)
  )`;

function resolvedCalls(filter: RowFilter | null): string {
  if (filter?.kind !== "inputs contain") return "select * from predict_and_score_calls";
  return `select predict_and_score_calls.*,
      coalesce(nullIf(stored.val_dump, ''), JSONExtractRaw(inputs_dump, 'example')) as resolved_inputs
    from predict_and_score_calls
    left join (
      select digest, any(val_dump) as val_dump from table_rows
      prewhere project_id = {project:String}
      where digest in (select row_digest from predict_and_score_calls)
      group by digest
    ) as stored on stored.digest = predict_and_score_calls.row_digest`;
}

function orderBy(question: Question): string {
  const order = question.page?.order ?? "digest";
  if (order === "digest") return "row_digest asc";
  const key = order === "mean score" ? `avg(toFloat64OrNull(${scoreText}))` : scoreDifference(question);
  return `${key} desc nulls last, row_digest asc`;
}

function scoreDifference(question: Question): string {
  const means = question.evaluationIds.map(
    (id) => `avg(toFloat64OrNull(case when eval_call_id = '${id}' then ${scoreText} else null end))`,
  );
  const counted = `countDistinctIf(eval_call_id, isNotNull(toFloat64OrNull(${scoreText})))`;
  return `if(${counted} > 1, greatest(${means.join(", ")}) - least(${means.join(", ")}), null)`;
}

function having(question: Question): string {
  const { filter, intersection, evaluationIds } = question;
  const conditions = ["1 = 1"];
  if (intersection) conditions.push(`countDistinct(eval_call_id) >= ${evaluationIds.length}`);
  if (filter?.kind === "score above") conditions.push(`max(toFloat64OrNull(${scoreText})) > {value:Float64}`);
  else if (filter?.kind === "inputs contain")
    conditions.push(`max(position(JSON_VALUE(resolved_inputs, '$."${searchedInput}"'), {text:String})) > 0`);
  else if (filter?.kind === "outputs contain")
    conditions.push(
      `max(position(JSON_VALUE(output_dump, '$."output"."${searchedOutput}"'), {text:String})) > 0`,
    );
  return conditions.join(" and ");
}
