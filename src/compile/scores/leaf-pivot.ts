import { constant, EMPTY, identifier, join, sql, type Sql } from "../../store/sql.ts";
import { filtered } from "../relations/spelled.ts";

/** Relations with the dimensions that an expression reads. */
export interface LeafSource {
  /** The numbers and booleans of some dimensions: (path_key, evaluation_key, row_key, trial_key, number). */
  readonly records: (pathKeys: readonly number[]) => Sql;
  /** All trials: (evaluation_key, row_key, trial_key). */
  readonly trials: Sql;
}

/** The most dimensions that are joined; DuckDB takes very long to order more joins. */
const MOST_JOINED = 3;

/**
 * One record for each trial: (evaluation_key, row_key, trial_key) and a column with the number of each dimension.
 * Trials that lack a `needed` dimension may be left out.
 */
export function pivotLeaves(
  pathKeys: readonly number[],
  needed: ReadonlySet<number>,
  source: LeafSource,
): Sql {
  return pathKeys.length <= MOST_JOINED
    ? joined(pathKeys, needed, source)
    : grouped(pathKeys, needed, source);
}

export function leafColumn(pathKey: number): Sql {
  return identifier(`x${pathKey}`);
}

function joined(pathKeys: readonly number[], needed: ReadonlySet<number>, source: LeafSource): Sql {
  const ordered = pathKeys.toSorted((a, b) => Number(needed.has(b)) - Number(needed.has(a)));
  const driver = ordered.find((key) => needed.has(key));
  const base = driver === undefined ? sql`t` : leafColumn(driver);
  const first =
    driver === undefined ? sql`(${source.trials}) AS t` : sql`(${source.records([driver])}) AS ${base}`;
  const joins = ordered
    .filter((key) => key !== driver)
    .map((key) => {
      const kind = needed.has(key) ? sql` JOIN ` : sql` LEFT JOIN `;
      const alias = leafColumn(key);
      return sql`${kind}(${source.records([key])}) AS ${alias} ON ${alias}.trial_key = ${base}.trial_key`;
    });
  const columns = pathKeys.map((key) => sql`, ${leafColumn(key)}.number AS ${leafColumn(key)}`);
  // With names of their own: ClickHouse calls a column of three relations by that of its relation, too.
  return sql`(SELECT ${base}.evaluation_key AS evaluation_key, ${base}.row_key AS row_key, ${base}.trial_key AS trial_key${join(columns, EMPTY)}
    FROM ${first}${join(joins, EMPTY)})`;
}

function grouped(pathKeys: readonly number[], needed: ReadonlySet<number>, source: LeafSource): Sql {
  const columns = pathKeys.map(
    (key) => sql`, ${filtered(sql`max(number)`, sql`path_key = ${constant(key)}`)} AS ${leafColumn(key)}`,
  );
  const bare =
    needed.size > 0
      ? EMPTY
      : sql` UNION ALL SELECT NULL, evaluation_key, row_key, trial_key, NULL FROM (${source.trials})`;
  return sql`(SELECT evaluation_key, row_key, trial_key${join(columns, EMPTY)}
    FROM (${source.records(pathKeys)}${bare}) GROUP BY evaluation_key, row_key, trial_key)`;
}
