import { column, mapped, nullable, query, type Query, select } from "../../store/query.ts";
import { constant, integer, sql, type Sql, text } from "../../store/sql.ts";
import { exists, LONG_TEXTS, MANY_TRIALS } from "../relations/spelled.ts";
import type { CatalogPath } from "../../plan/query-catalog.ts";
import type { Conventions } from "../../model/conventions.ts";
import { BOOLEAN, NUMBER } from "../../model/score-kind.ts";
import type { DimensionKinds } from "../../plan/trial-table.ts";

export function compileProject(projectId: string) {
  const key = column.integer(sql`project_key`);
  return query("project", select({ key }, sql` FROM projects WHERE project_id = ${text(projectId)}`));
}

/** The ids of all projects that calls or rows were loaded into. */
export function compileProjects() {
  const id = column.text(sql`project_id`);
  return query("projects", select({ id }, sql` FROM projects ORDER BY project_id`));
}

/** The same projects, each with the number of the evaluations that its list has. */
export function compileEvaluationCounts() {
  const counts = select(
    { id: column.text(sql`p.project_id`), evaluations: column.integer(sql`count(e.evaluation_key)`) },
    sql`
    FROM projects AS p LEFT JOIN (
      SELECT project_key, evaluation_key FROM evaluations
      WHERE NOT hidden AND (has_root OR evaluation_key IN (SELECT evaluation_key FROM trials))
    ) AS e USING (project_key)
    GROUP BY p.project_id ORDER BY p.project_id`,
  );
  return query("evaluation counts", counts);
}

/** The evaluations that the lists of all projects have: by start, those without one last, then by project and id. */
export function compileAllEvaluations() {
  const evaluations = select(
    {
      project: column.text(sql`p.project_id`),
      id: column.text(sql`e.id`),
      displayName: nullable(column.text(sql`e.display_name`)),
      startedAt: nullable(column.bigint(sql`e.started_at`)),
      trials: column.integer(sql`coalesce(t.n, 0)`),
    },
    sql`
    FROM evaluations AS e JOIN projects AS p USING (project_key)
    LEFT JOIN (SELECT evaluation_key, count(*) AS n FROM trials GROUP BY evaluation_key) AS t USING (evaluation_key)
    WHERE NOT e.hidden AND (e.has_root OR t.n > 0) ORDER BY e.started_at NULLS LAST, p.project_id, e.id`,
  );
  return query("all evaluations", evaluations);
}

/** All score paths of a project, containers included. */
export function compileScorePaths(projectKey: number): Query<CatalogPath> {
  const paths = select(
    {
      key: column.integer(sql`path_key`),
      path: column.text(sql`path`),
      leaf: column.boolean(sql`leaf`),
      container: column.boolean(sql`container`),
      list: column.boolean(sql`list`),
      max: nullable(column.integer(sql`max_exponent`)),
      min: nullable(column.integer(sql`min_exponent`)),
      lowBit: nullable(column.integer(sql`low_bit`)),
    },
    sql`
    FROM score_paths WHERE project_key = ${integer(projectKey)} ORDER BY path_key`,
  );
  const read = mapped(paths, ({ path, max, min, lowBit, ...place }): CatalogPath => ({
    ...place,
    path: JSON.parse(path) as string[],
    exponents: max === null || min === null || lowBit === null ? null : { max, min, lowBit },
  }));
  return query("score paths", read);
}

/**
 * What decides how the rows and trials of a project are read: whether a row has several spellings, or comes both inline
 * and by reference; whether there are many trials, or long outputs; and whether some rows have keys.
 */
export function compileProjectFacts(projectKey: number) {
  const own = sql`FROM rows WHERE project_key = ${integer(projectKey)}`;
  // Two separate tests: DuckDB then answers each from the statistics of most blocks without reading them.
  const mixed = sql`${exists(sql`${own} AND respelled`)}
    OR ${exists(sql`${own} AND referenced AND inline_example IS NOT NULL`)}`;
  const facts = {
    mixedRows: column.boolean(mixed),
    manyTrials: column.boolean(MANY_TRIALS),
    longTexts: column.boolean(LONG_TEXTS),
    keyedRows: column.boolean(exists(sql`FROM trials WHERE content_key IS NOT NULL`)),
  };
  return query("project facts", select(facts, sql``));
}

/** The conventions that a database was created with; no record where none are stored yet. */
export function compileConventions(): Query<Conventions> {
  const stored = select(
    { ops: column.text(sql`predict_and_score_ops`), namespaces: column.text(sql`attribute_namespaces`) },
    sql` FROM conventions`,
  );
  const read = mapped(stored, ({ ops, namespaces }) => ({
    predictAndScoreOps: JSON.parse(ops) as string[],
    attributeNamespaces: JSON.parse(namespaces) as string[],
  }));
  return query("conventions", read);
}

/** The statement that stores the conventions. */
export function compileKeepConventions({ predictAndScoreOps, attributeNamespaces }: Conventions): Sql {
  return sql`INSERT INTO conventions VALUES (${text(JSON.stringify(predictAndScoreOps))},
        ${text(JSON.stringify(attributeNamespaces))})`;
}

/** The dimensions that have values in some evaluation of a project that is not hidden. */
export function compileProjectDimensions(projectKey: number): Query<DimensionKinds> {
  const kinds = select(
    {
      pathKey: column.integer(sql`s.path_key`),
      numbers: column.boolean(sql`bool_or(s.kind = ${constant(NUMBER)})`),
      booleans: column.boolean(sql`bool_or(s.kind = ${constant(BOOLEAN)})`),
    },
    sql` FROM scores AS s JOIN evaluations AS e ON e.evaluation_key = s.evaluation_key
    WHERE e.project_key = ${integer(projectKey)} AND NOT e.hidden GROUP BY s.path_key`,
  );
  return query("dimensions of a project", kinds);
}
