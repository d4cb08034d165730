import type { PartialAnswer, ScorerStat } from "../../answer.ts";
import type { Page, Question } from "../../question.ts";
import type { Database } from "../duckdb-json/database.ts";
import { scoreLeaves } from "../score-leaves.ts";
import { scorerStat } from "../score-stats.ts";
import { groupBy } from "../trial-record.ts";

const sortedPath = scoreLeaves.findIndex((leaf) => leaf.path === "score");

/** Which rows are on the page, without anything of their trials. */
export async function orderedRows(
  database: Database,
  question: Question,
  page: Page,
): Promise<PartialAnswer> {
  const rows = await database.run(
    `with kept as (${keptRows(question, page)}), page as (
      select row, sort_key, count(*) over () as total from kept
      order by sort_key desc nulls last, row limit ${page.limit} offset ${page.offset}
    )
    select digest, total from page join digests using (row) order by sort_key desc nulls last, row`,
  );
  return {
    total_rows: Number(rows[0]?.["total"] ?? 0),
    row_digests: rows.map((row) => String(row["digest"])),
  };
}

function keptRows(question: Question, page: Page): string {
  const conditions = [
    ...(question.intersection ? [`bit_count(bit_or(seen)) = ${question.evaluationIds.length}`] : []),
    ...(question.filter?.kind === "score above" ? [`max(highest) > ${question.filter.value}`] : []),
  ];
  const having = conditions.length === 0 ? "" : `having ${conditions.join(" and ")}`;
  const scores = `from scores where path = ${sortedPath}`;
  const cells = `select row, evaluation, numeric, numeric as highest, 1::uinteger << evaluation as seen ${scores}`;
  if (page.order !== "score difference") {
    const key = page.order === "digest" ? "null" : "avg(numeric)";
    return `select row, ${key} as sort_key from (${cells}) group by row ${having}`;
  }
  return `select row, case when count(mean) > 1 then max(mean) - min(mean) end as sort_key
    from (
      select row, evaluation, avg(numeric) as mean, max(highest) as highest, bit_or(seen) as seen
      from (${cells}) group by row, evaluation
    ) group by row ${having}`;
}

/** Counts and sums of every evaluation and score path. */
export async function scoreSums(database: Database, question: Question): Promise<PartialAnswer> {
  const rows = await database.run(
    `select id, path, leaves, numbers, sum, known, passed from (
      select evaluation, path, count(*) filter (present) as leaves, count(numeric) as numbers,
        sum(numeric) as sum, count(boolean) as known, count(*) filter (boolean) as passed
      from scores group by evaluation, path
    ) join evaluations using (evaluation) where leaves > 0 order by path`,
  );
  const byEvaluation = groupBy(rows, (row) => String(row["id"]));
  return { scorer_stats: question.evaluationIds.map((id) => (byEvaluation.get(id) ?? []).flatMap(toStat)) };
}

function toStat(row: Readonly<Record<string, unknown>>): ScorerStat[] {
  const leaf = scoreLeaves[Number(row["path"])];
  if (leaf === undefined) return [];
  return [
    scorerStat({
      key: leaf.key,
      path: leaf.path,
      leaves: Number(row["leaves"]),
      numbers: Number(row["numbers"]),
      sum: Number(row["sum"]),
      known: Number(row["known"]),
      passed: Number(row["passed"]),
    }),
  ];
}
