import type { Conventions } from "../ingest/call.ts";
import { readRoot } from "../ingest/evaluations.ts";
import { findCalls, findChildren } from "../ingest/stored-calls.ts";
import type { Session } from "../model/session.ts";
import { join, integer, sql, text, type SqlValue } from "../model/sql.ts";
import type { EvalRequest } from "../request/eval-request.ts";
import type { CatalogPath, KnownEvaluation, QueryCatalog } from "../plan/query-catalog.ts";

/** A project as every request sees it; constant between writes. */
interface ProjectCatalog {
  readonly key: number;
  readonly scorePaths: readonly CatalogPath[];
  readonly mixedRows: boolean;
  /** Filled as evaluations are asked for; null where the project does not know the id. */
  readonly evaluations: Map<string, KnownEvaluation | null>;
  /** Filled when an order asks for it; see `QueryCatalog`. */
  readonly unrepeated: Map<number, boolean>;
}

/** Projects read since the last write. */
export interface CatalogCache {
  epoch: number;
  readonly projects: Map<string, ProjectCatalog | null>;
}

export function createCatalogCache(): CatalogCache {
  return { epoch: -1, projects: new Map() };
}

const CACHED_EVALUATIONS = 10_000;

/** Reads what a request needs to be planned, from the cache where nothing has been written since. */
export async function readQueryCatalog(
  session: Session,
  cache: CatalogCache,
  conventions: Conventions,
  projectId: string,
  request: EvalRequest,
  needsRepeats = request.includeRows && request.sortBy.some(({ mode }) => mode === "difference"),
): Promise<QueryCatalog> {
  const { evaluationIds } = request;
  const project = await projectCatalog(session, cache, projectId);
  if (project === null) return NOTHING_STORED;
  const unread = evaluationIds.filter((id) => !project.evaluations.has(id));
  if (unread.length > 0) {
    if (project.evaluations.size > CACHED_EVALUATIONS) project.evaluations.clear();
    const stored = await storedEvaluations(session, project.key, unread);
    for (const [id, known] of stored) project.evaluations.set(id, known);
    const unseen = unread.filter((id) => !project.evaluations.has(id));
    const bare = new Map(await bareEvaluations(session, conventions, project.key, unseen));
    for (const id of unseen) project.evaluations.set(id, bare.get(id) ?? null);
  }
  const evaluations = new Map<string, KnownEvaluation>();
  for (const id of evaluationIds) {
    const known = project.evaluations.get(id) ?? null;
    if (known !== null) evaluations.set(id, known);
  }
  const keys = [...evaluations.values()].flatMap(({ key }) => (key === null ? [] : [key]));
  if (needsRepeats) await findRepeated(session, project, keys);
  return {
    projectKey: project.key,
    evaluations,
    scorePaths: project.scorePaths,
    mixedRows: project.mixedRows,
    unrepeated: new Set(keys.filter((key) => project.unrepeated.get(key) === true)),
  };
}

const NOTHING_STORED: QueryCatalog = {
  projectKey: null,
  evaluations: new Map(),
  scorePaths: [],
  mixedRows: false,
  unrepeated: new Set(),
};

/** Tells evaluations with at most one trial a row from others: their differences need no means. */
async function findRepeated(
  session: Session,
  project: ProjectCatalog,
  keys: readonly number[],
): Promise<void> {
  const unread = keys.filter((key) => !project.unrepeated.has(key));
  if (unread.length === 0) return;
  const list = join(
    unread.map((key) => sql`${integer(key)}`),
    sql`, `,
  );
  const found = await session.rows(sql`SELECT evaluation_key, count(*) = count(DISTINCT row_key) FROM trials
    WHERE evaluation_key IN (${list}) GROUP BY evaluation_key`);
  for (const [key, unrepeated] of found) project.unrepeated.set(Number(key), unrepeated === true);
}

async function projectCatalog(
  session: Session,
  cache: CatalogCache,
  projectId: string,
): Promise<ProjectCatalog | null> {
  const { epoch } = session;
  if (epoch === null) return readProject(session, projectId);
  if (cache.epoch !== epoch) cache.projects.clear();
  cache.epoch = epoch;
  const known = cache.projects.get(projectId);
  if (known !== undefined) return known;
  const project = await readProject(session, projectId);
  if (cache.epoch === epoch) cache.projects.set(projectId, project);
  return project;
}

async function readProject(session: Session, projectId: string): Promise<ProjectCatalog | null> {
  const [project] = await session.rows(
    sql`SELECT project_key FROM projects WHERE project_id = ${text(projectId)}`,
  );
  if (project === undefined) return null;
  const key = Number(project[0]);
  const paths =
    await session.rows(sql`SELECT path_key, path, leaf, container, list, max_exponent, min_exponent, low_bit
    FROM score_paths WHERE project_key = ${integer(key)} ORDER BY path_key`);
  const [mixed] = await session.rows(sql`SELECT count(*) > 0 FROM rows WHERE project_key = ${integer(key)}
    AND (respelled OR (referenced AND inline_example IS NOT NULL))`);
  return {
    key,
    scorePaths: paths.map(catalogPath),
    mixedRows: mixed?.[0] === true,
    evaluations: new Map(),
    unrepeated: new Map(),
  };
}

async function storedEvaluations(
  session: Session,
  projectKey: number,
  ids: readonly string[],
): Promise<[string, KnownEvaluation][]> {
  if (ids.length === 0) return [];
  const list = join(
    ids.map((id) => sql`${text(id)}`),
    sql`, `,
  );
  const found =
    await session.rows(sql`SELECT e.id, e.evaluation_key, e.evaluation_ref, e.model_ref, e.display_name,
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
    if (!root.hidden)
      found.set(root.id, { key: null, ...readRoot(root.text), startedAt: root.call?.startedAt ?? null });
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
