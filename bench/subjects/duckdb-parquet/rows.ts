import type { Page, Question, RowFilter } from "../../question.ts";
import type { Parameters } from "../duckdb-json/database.ts";

/** The rows that the question keeps, each with what the page sorts by (null: by digest alone). */
export function keptRows(question: Question, page: Page | null): string {
  const { filter, intersection, evaluationIds } = question;
  const conditions = [
    ...(intersection ? [`count(distinct evaluation) = ${evaluationIds.length}`] : []),
    ...(filter === null || filter.kind === "inputs contain" ? [] : [`bool_or(${meets(filter)})`]),
  ];
  const having = conditions.length === 0 ? "" : `having ${conditions.join(" and ")}`;
  const inputs =
    filter?.kind === "inputs contain"
      ? " and digest in (select digest from dataset where contains(question, $text))"
      : "";
  const from = `from trials where evaluation in (select unnest($evaluations))${inputs}`;
  if (page?.order === "score difference") return differences(from, filter, having);
  const key = page?.order === "mean score" ? "avg(judge_score)" : "null";
  return `select digest, ${key} as sort_key ${from} group by digest ${having}`;
}

function differences(from: string, filter: RowFilter | null, having: string): string {
  if (filter !== null) throw new Error("rows by difference are asked without a filter");
  return `select digest, case when count(mean) > 1 then max(mean) - min(mean) end as sort_key
    from (select digest, evaluation, avg(judge_score) as mean ${from} group by digest, evaluation)
    group by digest ${having}`;
}

function meets(filter: Exclude<RowFilter, { readonly kind: "inputs contain" }>): string {
  return filter.kind === "score above" ? "judge_score > $value" : "contains(answer, $text)";
}

export function parameters({ evaluationIds, filter }: Question): Parameters {
  const evaluations = { evaluations: evaluationIds };
  if (filter === null) return evaluations;
  return filter.kind === "score above"
    ? { ...evaluations, value: filter.value }
    : { ...evaluations, text: filter.text };
}
