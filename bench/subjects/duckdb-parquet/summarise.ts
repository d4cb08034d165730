import type { AnswerSummary } from "../../answer.ts";
import type { Question } from "../../question.ts";
import type { Database } from "../duckdb-json/database.ts";
import { scoreLeaves, type ScoreLeaf } from "../score-leaves.ts";
import { leafStats, summaryEvaluation } from "../score-stats.ts";
import { keptRows, parameters } from "./rows.ts";

/** One pass over the trials. */
export async function summarise(database: Database, question: Question): Promise<AnswerSummary> {
  const narrowed = question.intersection || question.filter !== null;
  const sums = await database.run(
    `with kept as (${keptRows(question, null)})
    select evaluation, count(*) as trials, (select count(*) from kept) as rows, ${scoreLeaves.map(leafColumns).join(", ")}
    from trials where evaluation in (select unnest($evaluations))
      ${narrowed ? "and digest in (select digest from kept)" : ""}
    group by evaluation`,
    parameters(question),
  );
  const roots = await database.run("from evaluations");
  return {
    row_count: Number(sums[0]?.["rows"] ?? 0),
    evaluations: question.evaluationIds.map((id) => {
      const root = roots.find((row) => row["evaluation"] === id) ?? {};
      const own = sums.find((row) => row["evaluation"] === id) ?? {};
      const inputs = { self: root["evaluation_ref"], model: root["model_ref"] };
      return summaryEvaluation(id, { ...root, inputs }, Number(own["trials"] ?? 0), leafStats(own));
    }),
  };
}

const columns: readonly string[] = [
  "correct",
  "judge_clarity",
  "judge_grounded",
  "judge_score",
  "judge_tone",
];

function leafColumns({ kind }: ScoreLeaf, index: number): string {
  const column = columns[index];
  return [
    `count(${column}) as leaves_${index}`,
    `${kind === "number" ? `sum(${column})` : "null"} as sum_${index}`,
    `${kind === "boolean" ? `count(*) filter (${column})` : "0"} as passed_${index}`,
  ].join(", ");
}
