import { column, query, select } from "../../store/query.ts";
import { constant, sql, type Sql } from "../../store/sql.ts";
import type { Plan } from "../../plan/plan.ts";
import { inKeys } from "../relations/relations.ts";
import { firstBy, named } from "../relations/spelled.ts";
import { type Narrowing, narrowing as allRows, withTables } from "../rows/selected-rows.ts";

/** Edited rows that are named. */
export const NAMED_ROWS = 5;

/** What some evaluations hold of rows with keys; only rows of one key can differ. */
function held(keys: readonly number[], { selectedJoin }: Narrowing): Sql {
  return sql`SELECT evaluation_key, row_key, min(content_key) AS least, max(content_key) AS most FROM trials${selectedJoin}
    WHERE ${inKeys(sql`evaluation_key`, keys)} AND content_key IS NOT NULL GROUP BY evaluation_key, row_key`;
}

/** (evaluation_key, row_key): the rows that a candidate holds otherwise than the baseline. */
function editedRows({ evaluationKeys }: Plan, narrowing: Narrowing): Sql {
  const [baseline = 0, ...candidates] = evaluationKeys;
  return sql`SELECT c.evaluation_key AS evaluation_key, c.row_key AS row_key FROM (${held(candidates, narrowing)}) AS c
    JOIN (${held([baseline], narrowing)}) AS b ON b.row_key = c.row_key WHERE least(b.least, c.least) <> greatest(b.most, c.most)`;
}

/** For each candidate with edited rows, how many, and the first trials of the first such row. */
export function compileEditedRows(plan: Plan, narrowing: Narrowing) {
  const ofCandidate = sql`OVER (PARTITION BY evaluation_key`;
  const trials = sql`SELECT ${named(sql`t.evaluation_key`, sql`evaluation_key`)}, min(t.started_at) AS started,
      ${firstBy(sql`t.id`, sql`t.started_at, t.id`)} AS id
    FROM trials AS t JOIN (${editedRows(plan, narrowing)}) AS e ON e.evaluation_key = t.evaluation_key AND e.row_key = t.row_key
    GROUP BY t.evaluation_key, t.row_key`;
  const rows = select(
    {
      evaluationKey: column.integer(sql`evaluation_key`),
      count: column.integer(sql`n`),
      trialId: column.text(sql`id`),
    },
    sql` FROM (SELECT evaluation_key, id, count(*) ${ofCandidate}) AS n, row_number() ${ofCandidate} ORDER BY started, id) AS place
      FROM (${trials})) WHERE place <= ${constant(NAMED_ROWS)} ORDER BY evaluation_key, place`,
  );
  return query("edited rows", rows, sql`${withTables(narrowing.tables)}${rows.sql}`);
}

/** The evaluations of the plan that have rows with keys. */
export function compileKeyedEvaluations({ evaluationKeys }: Plan) {
  const keyed = select(
    { key: column.integer(sql`evaluation_key`) },
    sql` FROM trials WHERE ${inKeys(sql`evaluation_key`, evaluationKeys)} AND content_key IS NOT NULL GROUP BY evaluation_key`,
  );
  return query("keyed evaluations", keyed);
}

/** The selected rows without those that the baseline and its one candidate hold differently. */
export function withoutEdited(plan: Plan): Narrowing {
  const whole = allRows(plan, false);
  const own = inKeys(sql`evaluation_key`, plan.evaluationKeys);
  const kept = sql`unedited AS MATERIALIZED (SELECT row_key FROM trials${whole.selectedJoin} WHERE ${own}
    GROUP BY row_key HAVING count(content_key) = 0 OR min(content_key) = max(content_key))`;
  return {
    tables: [...whole.tables, kept],
    selectedJoin: sql` JOIN unedited USING (row_key)`,
    whole,
  };
}
