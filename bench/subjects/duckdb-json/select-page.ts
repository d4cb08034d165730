import { projectId } from "../../generate/parameters.ts";
import {
  searchedInput,
  searchedOutput,
  sortedScore,
  type Page,
  type Question,
  type RowFilter,
} from "../../question.ts";
import type { Database, Parameters } from "./database.ts";

export interface SelectedPage {
  readonly totalRows: number;
  readonly digests: readonly string[];
  /** The digest of each trial on the page, by the trial's id. */
  readonly trials: ReadonlyMap<string, string>;
}

/** Of the text of an `example`. The data writes inline rows as canonical JSON. */
export const rowDigest = `case when contains(example, '/attr/rows/id/')
    then split_part(example, '/attr/rows/id/', 2)
    else rtrim(translate(to_base64(unhex(sha256(example))), '+/', '-_'), '=') end`;

/** One statement: trials with their row digest, rows in order, the page, and the trials on it. */
export async function selectPage(database: Database, question: Question, page: Page): Promise<SelectedPage> {
  const rows = await database.run(
    `with ${trialsQuery(question)}, ${keptRowsQuery(question, page)},
    page as (
      select row_digest, count(*) over () as total_rows,
        row_number() over (order by sort_key desc nulls last, row_digest) as position
      from kept_rows order by position limit ${page.limit} offset ${page.offset}
    )
    select page.row_digest, total_rows, trials.id
    from page join trials using (row_digest) order by position`,
    questionParameters(question),
  );
  return {
    totalRows: Number(rows[0]?.["total_rows"] ?? 0),
    digests: [...new Set(rows.map((row) => String(row["row_digest"])))],
    trials: new Map(rows.map((row) => [String(row["id"]), String(row["row_digest"])])),
  };
}

/** `leaves` adds columns that read the trial's `output`. */
export function trialsQuery(question: Question, leaves = ""): string {
  return `trials as (
    select id, evaluation_id, ${rowDigest} as row_digest, score, matches ${leaves === "" ? "" : ", leaves"}
    from (
      select id, parent_id as evaluation_id, inputs->>'$.example' as example,
        try_cast(output->>'$.scores.${sortedScore.join(".")}' as double) as score,
        ${matchColumn(question.filter)} as matches ${leaves === "" ? "" : `, ${leaves} as leaves`}
      from calls
      where project_id = $project and parent_id in (select unnest($evaluations))
        and contains(op_name, '/op/Evaluation.predict_and_score:')
    )
  )`;
}

/** The rows that the question keeps, each with what the page sorts by (null: by digest alone). */
export function keptRowsQuery(question: Question, page: Page | null): string {
  const { filter, intersection } = question;
  const conditions = [
    ...(intersection ? [`count(distinct evaluation_id) = ${question.evaluationIds.length}`] : []),
    ...(filter === null ? [] : [filter.kind === "inputs contain" ? rowMatches : "bool_or(matches)"]),
  ];
  const having = conditions.length === 0 ? "" : `having ${conditions.join(" and ")}`;
  if (page?.order === "score difference")
    return `kept_rows as (
      select row_digest, case when count(mean) > 1 then max(mean) - min(mean) end as sort_key
      from (select row_digest, evaluation_id, avg(score) as mean, bool_or(matches) as matches
        from trials group by all)
      group by row_digest ${having}
    )`;
  const key = page?.order === "mean score" ? "avg(score)" : "null";
  return `kept_rows as (select row_digest, ${key} as sort_key from trials group by row_digest ${having})`;
}

const rowMatches = `(bool_or(matches) or row_digest in (
  select digest from dataset_rows
  where project_id = $project and contains(val->>'$.${searchedInput}', $text)))`;

function matchColumn(filter: RowFilter | null): string {
  if (filter === null) return "null::boolean";
  if (filter.kind === "score above") return "score > $value";
  return filter.kind === "inputs contain"
    ? `contains(inputs->>'$.example.${searchedInput}', $text)`
    : `contains(output->>'$.output.${searchedOutput}', $text)`;
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
