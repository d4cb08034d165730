import type { Page, Question } from "../../question.ts";
import type { Keys } from "./keys.ts";

/**
 * (row_key, digest, total, version_key): a record for each trial of the rows of the page, in the order of the page. The
 * data have more rows with the score than pages have, so no row without it is looked for.
 */
export function pageStatement(keys: Keys, question: Question, page: Page): string {
  const found = page.order === "digest" ? rowsByDigest(keys, page) : rowsByNumber(keys, question, page);
  return `with ${found} select page.row_key, digest, total, version_key
    from page join trials using (row_key) where ${among(keys)} order by place`;
}

function among({ evaluations }: Keys): string {
  return `evaluation_key in (${evaluations.join(", ")})`;
}

/** (row_key): the rows of the evaluations, or those that are in all of them. */
function presentRows(keys: Keys, intersection: boolean): string {
  const bits = keys.evaluations.reduce((sum, key) => sum + 2 ** key, 0);
  const having = intersection ? `having bit_or(1::usmallint << evaluation_key::usmallint) = ${bits}` : "";
  return `here as materialized (select row_key from trials where ${among(keys)} group by row_key ${having})`;
}

/** With a key more than there are rows, DuckDB joins by array. */
const JOINED_BY_ARRAY = "(from here union all select -1)";

function rowsByDigest(keys: Keys, { limit, offset }: Page): string {
  return `${presentRows(keys, false)},
    page as (select row_key, digest, digest as place, (select count(*) from here) as total
      from ${JOINED_BY_ARRAY} as here join rows using (row_key) order by digest limit ${limit} offset ${offset})`;
}

/**
 * How many rows have each number tells which numbers are on the page, and how many rows come before: only rows with these
 * numbers get their digest.
 */
function rowsByNumber(keys: Keys, question: Question, { order, limit, offset }: Page): string {
  const { filter, intersection } = question;
  const ofRows = order === "mean score" ? means(keys, question) : differences(keys);
  const kept = intersection ? `join ${JOINED_BY_ARRAY} as here using (row_key)` : "";
  return `${filter === null ? `${presentRows(keys, intersection)},` : ""}
    keyed as materialized (select row_key, number from (${ofRows}) ${kept}),
    counted as (select number, count(*) as n from keyed group by number),
    ranked as (select number, sum(n) over (order by number desc) - n as earlier, n from counted),
    wanted as materialized (select number, earlier from ranked where earlier < ${offset + limit} and earlier + n > ${offset}),
    near as (select row_key, any_value(number) as number from keyed join wanted using (number) group by row_key),
    page as (select row_key, digest, row_number() over (order by number desc, digest) as place,
        (select count(*) from ${filter === null ? "here" : "keyed"}) as total
      from near join rows using (row_key) order by number desc, digest
      limit ${limit} offset (select ${offset} - min(earlier)::bigint from wanted))`;
}

/** (row_key, number); sums are exact, since all scores are multiples of 1/1024. */
function means(keys: Keys, { filter }: Question): string {
  const having = filter?.kind === "score above" ? `having max(number) > ${filter.value}` : "";
  return `select row_key, avg(number) as number ${numbers(keys)} group by row_key ${having}`;
}

function differences(keys: Keys): string {
  const difference = "max(number) - min(number) as number";
  if (keys.trialsPerRow === 1)
    return `select row_key, ${difference} ${numbers(keys)} group by row_key having count(*) > 1`;
  return `select row_key, ${difference} from (select row_key, avg(number) as number ${numbers(keys)}
    group by row_key, evaluation_key) group by row_key having count(*) > 1`;
}

function numbers(keys: Keys): string {
  return `from scores where path_key = ${keys.sortedPath} and ${among(keys)}`;
}

/** By the index. A prepared statement would be planned anew with each list, and a join would scan. */
export function trialsStatement(versions: readonly (number | bigint)[]): string {
  return `select row_key, evaluation_key, started_at, id, predict_call_id, output, scorer_call_ids, latency_seconds,
    total_tokens, reference_prefix, example from trials where version_key in (${versions.join(", ")})`;
}

/** (row_key, val, inline_example) */
export function rowValuesStatement(rowKeys: readonly number[]): string {
  return `select row_key, val, inline_example from rows where row_key in (${rowKeys.join(", ")})`;
}

/** (evaluation_key, path_key, n, sum): of scores; of trials with their tokens, without a path; of all rows, without both. */
export function summaryStatement(keys: Keys): string {
  return `with ${presentRows(keys, false)}
    select evaluation_key, path_key, count(*), sum(number) from scores where ${among(keys)} group by all
    union all select evaluation_key, null, count(*), sum(total_tokens) from trials where ${among(keys)} group by all
    union all select null, null, count(*), null from here`;
}
