import {
  column,
  mapped,
  nullable,
  query,
  select,
  unionAll,
  type Query,
  type RowOf,
  type Selection,
} from "../store/query.ts";
import type { Key } from "../model/digest.ts";
import { constant, EMPTY, sql, type Sql } from "../store/sql.ts";
import type { CountingPlan, Plan, RowsPlan, SummaryPlan } from "../plan/plan.ts";
import type { ScoreSum } from "../plan/results.ts";
import { pageOfSelected } from "./rows/page-rows.ts";
import { inKeys, scoreScope } from "./relations/relations.ts";
import { countedRecords } from "./scores/counted-trials.ts";
import { scoreValueParts } from "./scores/score-records.ts";
import { narrowing, selectedRows, withTables } from "./rows/selected-rows.ts";
import {
  NO_SUM,
  scoreSumming,
  SUM_NAMES,
  wordsColumn,
  type ScoreSumming,
  type SumParts,
} from "./sums/score-sums.ts";
import {
  amongKeys,
  integerOrNull,
  named,
  nothing,
  ofFew,
  TRIAL_TOKENS,
  wideSum,
} from "./relations/spelled.ts";

/** The rows of the page in order; no record when the page is empty. */
export function compilePage(plan: Plan, rows: RowsPlan) {
  const page = select(
    {
      key: column.key(sql`s.row_key`),
      digest: column.text(sql`digest`),
      total: column.integer(sql`(SELECT count(*) FROM selected)`),
    },
    sql` ${pageOfSelected(plan, rows)}`,
  );
  const statement = sql`WITH selected AS MATERIALIZED (${selectedRows(plan, rows.intersection)})
    ${page.sql}`;
  return query("page", page, statement);
}

/** A row of a page, and the total number of rows. */
export type PageRow = RowOf<typeof compilePage>;

/** The total number of rows, for an empty page. */
export function compileRowCount(plan: Plan, rows: RowsPlan): Query<{ readonly total: number }> {
  const count = select(
    { total: column.integer(sql`count(*)`) },
    sql` FROM (${selectedRows(plan, rows.intersection)})`,
  );
  return query("row count", count);
}

/**
 * One count: all rows (`evaluationKey` is null), the trials of an evaluation with their `tokens` (null where none has
 * any; `sum` is null), or the score values of one kind in a series.
 */
interface SummaryCount {
  readonly evaluationKey: number | null;
  readonly count: number;
  readonly tokens: number | null;
  readonly sum: ScoreSum | null;
}

export function compileSummary(plan: Plan, summary: SummaryPlan): Query<SummaryCount> {
  const { selectedJoin } = narrowing(plan, summary.intersection);
  const summing = scoreSumming(summary.scorePaths);
  const parts = [
    select(namedColumns(), sql` FROM selected`),
    trialCounts(plan, selectedJoin),
    ...scoreSums(plan, summing, selectedJoin),
  ];
  const all = unionAll(parts, sql`\n    UNION ALL `);
  const statement = sql`WITH selected AS MATERIALIZED (${selectedRows(plan, summary.intersection)})
    ${all.sql}`;
  return query(
    "summary",
    mapped(all, (record) => readCount(record, summing)),
    statement,
    summing.addsUp ? ADDING : undefined,
  );
}

/** Counts and sums of the score values of each kind in each series. */
export function compileSummaryScores(plan: Plan, summary: SummaryPlan): Query<SummaryCount> {
  const { tables, selectedJoin } = narrowing(plan, summary.intersection);
  const summing = scoreSumming(summary.scorePaths);
  const parts = scoreSums(plan, summing, selectedJoin);
  const none = select(summaryColumns(sql`NULL`), sql` WHERE false`);
  const all = unionAll(parts.length === 0 ? [none] : parts, sql`\n    UNION ALL `);
  const statement = parts.length === 0 ? all.sql : sql`${withTables(tables)}${all.sql}`;
  return query(
    "score sums",
    mapped(all, (record) => readCount(record, summing)),
    statement,
  );
}

/** Counts the trials that count as a number, true or false; some dimension must count them. */
export function compileCountedTrials(plan: Plan, { intersection }: SummaryPlan, counting: CountingPlan) {
  const { tables, selectedJoin } = narrowing(plan, intersection);
  const parts = countedRecords(plan, counting, null).map((records) =>
    select(
      {
        evaluationKey: column.integer(sql`v.evaluation_key`),
        pathKey: column.integer(sql`v.path_key`),
        kind: column.integer(sql`v.kind`),
        count: column.integer(sql`count(*)`),
        number: column.double(sql`max(v.number)`),
      },
      sql` FROM (${records}) AS v${selectedJoin} GROUP BY v.evaluation_key, v.path_key, v.kind`,
    ),
  );
  const all = unionAll(parts);
  return query("counted trials", all, sql`${withTables(tables)}${all.sql}`);
}

interface SummaryRecord {
  readonly evaluationKey: number | null;
  readonly pathKey: number | null;
  readonly kind: number | null;
  readonly count: number;
  readonly sum: SumParts;
}

const ADDING = {
  keys: ["evaluation_key", "path_key", "kind"],
  sums: ["count", ...SUM_NAMES],
};

/**
 * Tokens as whole thousandths, since counts may be fractions, and sums of doubles depend on the order of their terms.
 */
const TOKEN_PARTS = 1000;

/** The trials of each evaluation, and the sum of their tokens. */
function trialCounts({ includeChildren, evaluationKeys }: Plan, selectedJoin: Sql): Selection<SummaryRecord> {
  const parts = integerOrNull(sql`t.${includeChildren ? EMPTY : sql`own_`}tokens * ${constant(TOKEN_PARTS)}`);
  const columns = summaryColumns(sql`t.evaluation_key`, undefined, undefined, wordsColumn(wideSum(parts)));
  return select(
    columns,
    sql` FROM ${TRIAL_TOKENS} AS t${selectedJoin} WHERE ${inKeys(sql`t.evaluation_key`, evaluationKeys)} GROUP BY t.evaluation_key`,
  );
}

function noKey(name: Sql): Sql {
  return named(nothing("BIGINT"), name);
}

/** Columns without a key or a sum, which name those of a union. */
function namedColumns() {
  return {
    ...summaryColumns(noKey(sql`evaluation_key`), noKey(sql`path_key`), noKey(sql`kind`)),
    count: column.integer(named(sql`count(*)`, sql`count`)),
  };
}

function summaryColumns(evaluation: Sql, path = nothing("BIGINT"), kind = nothing("BIGINT"), sum = NO_SUM) {
  return {
    evaluationKey: nullable(column.integer(evaluation)),
    pathKey: nullable(column.integer(path)),
    kind: nullable(column.integer(kind)),
    count: column.integer(sql`count(*)`),
    sum,
  };
}

function scoreSums(plan: Plan, { scales }: ScoreSumming, selectedJoin: Sql): Selection<SummaryRecord>[] {
  return scales.flatMap(({ paths, sum }) => {
    const keys = paths?.map(({ key }) => key) ?? null;
    const among = keys === null ? EMPTY : sql` AND ${inKeys(sql`v.path_key`, keys)}`;
    const columns = summaryColumns(sql`v.evaluation_key`, sql`v.path_key`, sql`v.kind`, sum);
    return scoreValueParts(plan, sql`v`, keys).map((values) =>
      select(
        columns,
        sql`
      FROM ${values}${selectedJoin} WHERE ${inKeys(sql`v.evaluation_key`, plan.evaluationKeys)}${among}${scoreScope(plan, sql`v`)}
      GROUP BY v.evaluation_key, v.path_key, v.kind`,
      ),
    );
  });
}

function readCount(
  { evaluationKey, pathKey, kind, count, sum }: SummaryRecord,
  summing: ScoreSumming,
): SummaryCount {
  if (evaluationKey === null || pathKey === null || kind === null) {
    const tokens = sum.words === null ? null : Number(sum.words) / TOKEN_PARTS;
    return { evaluationKey, count, tokens, sum: null };
  }
  const total = summing.total(pathKey, sum);
  return { evaluationKey, count, tokens: null, sum: { evaluationKey, pathKey, kind, count, total } };
}

/** Stored dataset rows, for the raw rows of a response. */
export function compileRowDetails(rowKeys: readonly Key[]) {
  const rows = select(
    {
      key: column.key(sql`row_key`),
      digest: column.text(sql`digest`),
      val: nullable(column.text(sql`val`)),
      inlineExample: nullable(column.text(sql`inline_example`)),
    },
    sql` FROM rows WHERE ${ofFew(sql`rows`, amongKeys(sql`row_key`, rowKeys), rowKeys.length)}`,
  );
  return query("dataset rows", rows);
}
