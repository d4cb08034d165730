import type { Session, FileStore } from "../../store/session.ts";
import { sql, text, type SqlStatement } from "../../store/sql.ts";
import { checkProjectId, checkText } from "../../flow/check-options.ts";
import { bindParameters } from "./bind-parameters.ts";
import type { AskedStatement } from "../../store/statements.ts";
import { rewriteStatement, type RewrittenStatement } from "./rewrite-statement.ts";
import { compileProjectDimensions, compileScorePaths } from "../../compile/catalog/project.ts";
import { scoreColumns, type ScoreColumn } from "../../plan/trial-table.ts";
import { epochCache, remembered, type EpochCache } from "../../flow/epoch-cache.ts";

/** The store, and what is known of it between two writes. */
interface SqlContext {
  readonly store: FileStore;
  /** The columns that `results` has. */
  readonly dimensions: DimensionCache;
}

export function createSqlContext(store: FileStore): SqlContext {
  return { store, dimensions: epochCache(CACHED_DIMENSIONS, (_key, dimensions) => 1 + dimensions.length) };
}

/**
 * Checks a statement and binds its parameters; resolves to the query that reads the project's views, and to the long
 * texts among them.
 */
export async function prepareStatement(
  session: Session,
  { dimensions }: SqlContext,
  { projectId, statement, params }: AskedStatement,
  limits: "strict" | undefined,
): Promise<SqlStatement & Pick<RewrittenStatement, "texts">> {
  checkProjectId(projectId);
  checkText("statement", statement);
  const [found] = await session.rows(
    sql`SELECT project_key FROM projects WHERE project_id = ${text(projectId)}`,
  );
  const key = found === undefined ? -1 : Number(found[0]);
  const rewritten = await rewriteStatement(session, statement, {
    given: params,
    limits,
    project: { key, dimensions: () => readDimensions(session, dimensions, key) },
  });
  const values = bindParameters(rewritten.parameterNames, params);
  return {
    sql: rewritten.text,
    params: rewritten.takesProject ? [...values, text(projectId)] : values,
    texts: rewritten.texts,
  };
}

/** The dimensions of projects, by key. */
type DimensionCache = EpochCache<readonly ScoreColumn[]>;

const CACHED_DIMENSIONS = 100_000;

/** The score dimensions of a project as columns, named as in exports; read once between two writes. */
function readDimensions(
  session: Session,
  cache: DimensionCache,
  projectKey: number,
): Promise<readonly ScoreColumn[]> {
  return remembered(cache, session.epoch, String(projectKey), async () => {
    const paths = await session.all(compileScorePaths(projectKey));
    return scoreColumns(paths, await session.all(compileProjectDimensions(projectKey)));
  });
}
