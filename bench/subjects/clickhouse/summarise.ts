import type { AnswerSummary } from "../../answer.ts";
import { projectId } from "../../generate/parameters.ts";
import type { Question } from "../../question.ts";
import { leafPath, scoreLeaves, type ScoreLeaf } from "../score-leaves.ts";
import { leafStats, summaryEvaluation } from "../score-stats.ts";
import { parseJson } from "../trial-record.ts";
import type { Database } from "./database.ts";
import { questionParameters, rankedDigests } from "./ranked-digests.ts";

/** An aggregate in the database, where the reference system would fetch every trial. */
export async function summarise(database: Database, question: Question): Promise<AnswerSummary> {
  const sums = await database.run(
    `with ${rankedDigests({ ...question, page: null })}
    select eval_call_id, count() as trials, (select count() from ranked_digests) as rows,
      ${scoreLeaves.map(leafColumns).join(", ")}
    from predict_and_score_calls_resolved
    where row_digest in (select row_digest from ranked_digests)
    group by eval_call_id`,
    questionParameters(question),
  );
  const roots = await database.run(
    `select id, display_name, trace_id, inputs_dump,
      formatDateTime(started_at, '%Y-%m-%dT%H:%i:%S.%fZ', 'UTC') as started_at
    from calls_complete where project_id = {project:String} and id in {evaluations:Array(String)}`,
    { project: projectId, evaluations: question.evaluationIds },
  );
  return {
    row_count: Number(sums[0]?.["rows"] ?? 0),
    evaluations: question.evaluationIds.map((id) => {
      const root = roots.find((row) => row["id"] === id) ?? {};
      const own = sums.find((row) => row["eval_call_id"] === id) ?? {};
      const inputs = parseJson(root["inputs_dump"]);
      return summaryEvaluation(id, { ...root, inputs }, Number(own["trials"] ?? 0), leafStats(own));
    }),
  };
}

function leafColumns(leaf: ScoreLeaf, index: number): string {
  const text = `JSON_VALUE(output_dump, '${leafPath(leaf)}')`;
  return [
    `countIf(${text} not in ('', 'null')) as leaves_${index}`,
    leaf.kind === "number" ? `sum(toFloat64OrNull(${text})) as sum_${index}` : `null as sum_${index}`,
    leaf.kind === "boolean" ? `countIf(${text} = 'true') as passed_${index}` : `0 as passed_${index}`,
  ].join(", ");
}
