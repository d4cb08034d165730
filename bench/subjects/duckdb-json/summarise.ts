import type { AnswerSummary } from "../../answer.ts";
import { projectId } from "../../generate/parameters.ts";
import type { Question } from "../../question.ts";
import { leafPath, scoreLeaves, type ScoreLeaf } from "../score-leaves.ts";
import { leafStats, summaryEvaluation } from "../score-stats.ts";
import { parseJson } from "../trial-record.ts";
import { quote, type Database } from "./database.ts";
import { keptRowsQuery, questionParameters, trialsQuery } from "./select-page.ts";

/** One pass over the trials that reads all score leaves of a trial together. */
export async function summarise(database: Database, question: Question): Promise<AnswerSummary> {
  const paths = scoreLeaves.map((leaf) => quote(leafPath(leaf)));
  const leaves = `json_extract_string(output, [${paths.join(", ")}])`;
  const narrowed = question.intersection || question.filter !== null;
  const sums = await database.run(
    `with ${trialsQuery(question, leaves)}, ${keptRowsQuery(question, null)}
    select evaluation_id, count(*) as trials, (select count(*) from kept_rows) as rows, ${scoreLeaves.map(leafColumns).join(", ")}
    from trials ${narrowed ? "where row_digest in (select row_digest from kept_rows)" : ""}
    group by evaluation_id`,
    questionParameters(question),
  );
  const roots = await database.run(
    `select id, display_name, trace_id, inputs,
      strftime(started_at, '%Y-%m-%dT%H:%M:%S.%fZ') as started_at
    from calls where project_id = $project and id in (select unnest($evaluations))`,
    { project: projectId, evaluations: question.evaluationIds },
  );
  return {
    row_count: Number(sums[0]?.["rows"] ?? 0),
    evaluations: question.evaluationIds.map((id) => {
      const root = roots.find((row) => row["id"] === id) ?? {};
      const own = sums.find((row) => row["evaluation_id"] === id) ?? {};
      const inputs = parseJson(root["inputs"]);
      return summaryEvaluation(id, { ...root, inputs }, Number(own["trials"] ?? 0), leafStats(own));
    }),
  };
}

function leafColumns(leaf: ScoreLeaf, index: number): string {
  const text = `leaves[${index + 1}]`;
  return [
    `count(${text}) as leaves_${index}`,
    leaf.kind === "number" ? `sum(${text}::double) as sum_${index}` : `null as sum_${index}`,
    leaf.kind === "boolean"
      ? `count(*) filter (${text} = 'true') as passed_${index}`
      : `0 as passed_${index}`,
  ].join(", ");
}
