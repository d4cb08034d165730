import { countEvaluations, inKeys } from "../../compile/relations/relations.ts";
import type { Session } from "../../store/session.ts";
import { constant, join, sql, type SqlValue } from "../../store/sql.ts";

/**
 * Puts into `known` how many trials the rows of each evaluation have at most: where it is one, nothing needs a mean
 * by row.
 */
export async function readTrialsARow(
  session: Session,
  known: Map<number, number>,
  keys: readonly number[],
): Promise<void> {
  const unread = keys.filter((key) => !known.has(key));
  for (const near of neighbours(unread)) {
    const repeated = await hasRepeated(session, near);
    for (const [key, most] of repeated ? await readMost(session, near) : near.map((one) => [one, 1]))
      known.set(Number(key), Number(most));
  }
}

/** So many evaluations can be told apart by the bits of a word; DuckDB takes long to plan statements of more parts. */
const TOGETHER = 62;

/** Keys in groups that lie within {@link TOGETHER}. */
function neighbours(keys: readonly number[]): number[][] {
  const groups: number[][] = [];
  for (const key of keys.toSorted((a, b) => a - b)) {
    const last = groups.at(-1);
    if (last?.[0] !== undefined && key - last[0] <= TOGETHER) last.push(key);
    else groups.push([key]);
  }
  return groups;
}

/** Whether some row has several trials in one of some evaluations: more trials than evaluations. One look at all. */
async function hasRepeated(session: Session, keys: readonly number[]): Promise<boolean> {
  const [found] = await session.rows(sql`SELECT coalesce(sum(trials) <> sum(evaluations), false) FROM (
    SELECT count(*) AS trials, ${countEvaluations(keys, sql`evaluation_key`)} AS evaluations
    FROM trials WHERE ${inKeys(sql`evaluation_key`, keys)} GROUP BY row_key)`);
  return found?.[0] === true;
}

/** DuckDB groups one evaluation by row in an array. */
function readMost(session: Session, keys: readonly number[]): Promise<readonly (readonly SqlValue[])[]> {
  const parts = keys.map(
    (key) => sql`SELECT ${constant(key)}, coalesce(max(n), 0) FROM (
      SELECT count(*) AS n FROM trials WHERE evaluation_key = ${constant(key)} GROUP BY row_key)`,
  );
  return session.rows(join(parts, sql` UNION ALL `));
}
