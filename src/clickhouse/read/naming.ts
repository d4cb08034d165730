import type { Subject } from "../dialect/relations.ts";
import type { ClickHouse } from "../server/client.ts";
import { integerOf } from "../server/integer-of.ts";
import { IS_VISIBLE, visibleValues, type Visible } from "../lookup/visible.ts";

/**
 * What stands for the stored keys of a project in statements, as long as its epoch lasts: kept answers hold these keys.
 */
export interface Naming {
  /** In the order in which they were first stored, as everything here. */
  readonly evaluations: ReadonlyMap<bigint, number>;
  readonly paths: readonly bigint[];
  /** Evaluations of which versions of trials have ended. */
  readonly ended: ReadonlySet<bigint>;
}

export async function readNaming(
  client: ClickHouse,
  projectKey: bigint,
  visible: Visible,
  signal: AbortSignal | undefined,
): Promise<Naming> {
  const own = `project_key = {project: UInt64} AND ${IS_VISIBLE}`;
  const found = await client.rows(
    `SELECT kind, key FROM (
      SELECT 'evaluation' AS kind, evaluation_key AS key, min((first_load, first_position)) AS place FROM evaluations WHERE ${own} GROUP BY key
    UNION ALL SELECT 'path', path_key, min((load, position)) FROM score_paths WHERE ${own} GROUP BY path_key
    UNION ALL SELECT 'ended', evaluation_key, min((load, toUInt32(0))) FROM gone WHERE ${own} GROUP BY evaluation_key)
    ORDER BY place, key`,
    { project: projectKey, ...visibleValues(visible) },
    { signal },
  );
  const keys = (of: string) => found.flatMap(([kind, key]) => (kind === of ? [integerOf(key)] : []));
  return {
    evaluations: numbered(keys("evaluation"), 0),
    paths: keys("path"),
    ended: new Set(keys("ended")),
  };
}

/**
 * What statements about some evaluations need; those that are not stored get small keys, too. No evaluation stands for
 * all.
 */
export function subjectOf(
  { evaluations, paths, ended }: Naming,
  keys: readonly bigint[],
): Pick<Subject, "evaluations" | "paths" | "hasEnded"> {
  const unknown = numbered(
    keys.filter((key) => !evaluations.has(key)),
    evaluations.size,
  );
  return {
    evaluations: new Map(keys.map((key) => [key, evaluations.get(key) ?? unknown.get(key) ?? 0])),
    paths,
    hasEnded: keys.length === 0 ? ended.size > 0 : keys.some((key) => ended.has(key)),
  };
}

function numbered(keys: readonly bigint[], from: number): ReadonlyMap<bigint, number> {
  return new Map(keys.map((key, i) => [key, from + i]));
}
