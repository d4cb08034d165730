import type { Conventions } from "../ingest/call.ts";
import { readRoot } from "../ingest/evaluations.ts";
import { findCalls, findChildren } from "../ingest/stored-calls.ts";
import type { Session } from "../model/session.ts";
import { join, integer, sql, text, type SqlValue } from "../model/sql.ts";
import type { CatalogPath, KnownEvaluation, QueryCatalog } from "../plan/query-catalog.ts";

/** Reads what a request needs to be planned. */
export async function readQueryCatalog(
  session: Session,
  conventions: Conventions,
  projectId: string,
  evaluationIds: readonly string[],
): Promise<QueryCatalog> {
  const [project] = await session.rows(sql`SELECT project_key FROM projects WHERE project_id = ${text(projectId)}`);
  if (project === undefined) return { projectKey: null, evaluations: new Map(), scorePaths: [], mixedRows: false };
  const projectKey = Number(project[0]);
  const evaluations = new Map<string, KnownEvaluation>();
  for (const [id, known] of await storedEvaluations(session, projectKey, evaluationIds)) evaluations.set(id, known);
  const unseen = evaluationIds.filter((id) => !evaluations.has(id));
  for (const [id, known] of await bareEvaluations(session, conventions, projectKey, unseen)) evaluations.set(id, known);
  const paths = await session.rows(sql`SELECT path_key, path, leaf, container, list, max_exponent, min_exponent, low_bit
    FROM score_paths WHERE project_key = ${integer(projectKey)} ORDER BY path_key`);
  const [mixed] = await session.rows(sql`SELECT count(*) > 0 FROM rows WHERE project_key = ${integer(projectKey)}
    AND (respelled OR (referenced AND inline_example IS NOT NULL))`);
  return { projectKey, evaluations, scorePaths: paths.map(catalogPath), mixedRows: mixed?.[0] === true };
}

async function storedEvaluations(
  session: Session,
  projectKey: number,
  ids: readonly string[],
): Promise<[string, KnownEvaluation][]> {
  if (ids.length === 0) return [];
  const list = join(ids.map((id) => sql`${text(id)}`), sql`, `);
  const found = await session.rows(sql`SELECT e.id, e.evaluation_key, e.evaluation_ref, e.model_ref, e.display_name,
    e.trace_id, e.started_at FROM evaluations AS e WHERE e.project_key = ${integer(projectKey)} AND NOT e.hidden
    AND e.id IN (${list}) AND (e.has_root OR EXISTS (FROM trials AS t WHERE t.evaluation_key = e.evaluation_key))`);
  return found.map(([id, key, evaluationRef, modelRef, displayName, traceId, startedAt]) => [
    String(id),
    {
      key: Number(key),
      evaluationRef: textOrNull(evaluationRef),
      modelRef: textOrNull(modelRef),
      displayName: textOrNull(displayName),
      traceId: textOrNull(traceId),
      startedAt: typeof startedAt === "bigint" ? startedAt : null,
    },
  ]);
}

/** Evaluations of which only the root, or children that are no trials, are stored. */
async function bareEvaluations(
  session: Session,
  conventions: Conventions,
  projectKey: number,
  ids: readonly string[],
): Promise<[string, KnownEvaluation][]> {
  const wanted = ids.map((id) => ({ projectKey, id }));
  const found = new Map<string, KnownEvaluation>();
  for (const child of await findChildren(session, conventions, wanted)) {
    if (!child.hidden && child.parentId !== null) found.set(child.parentId, NOTHING_KNOWN);
  }
  for (const root of await findCalls(session, conventions, wanted)) {
    if (!root.hidden) found.set(root.id, { key: null, ...readRoot(root.text), startedAt: root.call?.startedAt ?? null });
  }
  return [...found];
}

const NOTHING_KNOWN: KnownEvaluation = {
  key: null,
  evaluationRef: null,
  modelRef: null,
  displayName: null,
  traceId: null,
  startedAt: null,
};

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function catalogPath(values: readonly SqlValue[]): CatalogPath {
  const [key, path, leaf, container, list, max, min, lowBit] = values;
  return {
    key: Number(key),
    path: JSON.parse(String(path)) as string[],
    leaf: leaf === true,
    container: container === true,
    list: list === true,
    exponents: max === null ? null : { max: Number(max), min: Number(min), lowBit: Number(lowBit) },
  };
}
