import { createCallReading, type Conventions } from "../../ingest/record/call.ts";
import { readRoot } from "../../ingest/write/evaluations.ts";
import { readText } from "../../ingest/record/record-text.ts";
import { callIdentity, findCalls, findChildren } from "../../ingest/lookup/stored-calls.ts";
import { createTurnTaker } from "../../model/turns.ts";
import type { Session } from "../../store/session.ts";
import { join, integer, sql, text, type SqlValue } from "../../store/sql.ts";
import type { EvalRequest } from "../../request/eval-request.ts";
import { createStatisticsCache, type StatisticsCache } from "../statistics/cache.ts";
import type { CatalogPath, KnownEvaluation, QueryCatalog } from "../../plan/query-catalog.ts";
import { parseDerivedScores } from "../../request/derived-scores.ts";
import { checkPatterns } from "./check-patterns.ts";
import { readTrialsARow } from "./trials-per-row.ts";
import { createVirtualCache, readVirtualLeaves, type VirtualCache } from "./virtual-leaves.ts";

/** A project as every request sees it; constant between writes. */
interface ProjectCatalog {
  readonly key: number;
  readonly scorePaths: readonly CatalogPath[];
  readonly mixedRows: boolean;
  /** Filled as evaluations are asked for; null where the project does not know the id. */
  readonly evaluations: Map<string, KnownEvaluation | null>;
  /** Filled when an order asks for it; see `QueryCatalog`. */
  readonly virtual: VirtualCache;
  readonly trialsARow: Map<number, number>;
}

/** Projects read since the last write. */
export interface CatalogCache {
  epoch: number;
  readonly projects: Map<string, ProjectCatalog | null>;
  readonly statistics: StatisticsCache;
}

export function createCatalogCache(): CatalogCache {
  return { epoch: -1, projects: new Map(), statistics: createStatisticsCache() };
}

const CACHED_EVALUATIONS = 10_000;

/** Reads what a request needs to be planned, from the cache where nothing has been written since. */
export async function readQueryCatalog(
  session: Session,
  cache: CatalogCache,
  conventions: Conventions,
  projectId: string,
  request: EvalRequest,
  asTable = false,
): Promise<QueryCatalog> {
  const { evaluationIds } = request;
  await checkPatterns(session, request);
  const project = await projectCatalog(session, cache, projectId);
  if (project === null) {
    await parseDerivedScores(request.derivedScores);
    return NOTHING_STORED;
  }
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
  const differences = request.includeRows && request.sortBy.some(({ mode }) => mode === "difference");
  const overRows = request.includeSummary && (request.includeUncertainty || request.passK.length > 0);
  if (differences || overRows || asTable) {
    await readTrialsARow(session, project.trialsARow, keys);
  }
  const { includeChildren } = request;
  const scope = { projectId, evaluationKeys: keys, includeChildren };
  const virtual = await readVirtualLeaves(session, project.virtual, request, project.scorePaths, scope);
  return {
    projectKey: project.key,
    evaluations,
    scorePaths: virtual.paths,
    virtualLeaves: virtual.leaves,
    mixedRows: project.mixedRows,
    trialsARow: new Map(
      keys.flatMap((key) => {
        const most = project.trialsARow.get(key);
        return most === undefined ? [] : [[key, most]];
      }),
    ),
  };
}

const NOTHING_STORED: QueryCatalog = {
  projectKey: null,
  evaluations: new Map(),
  scorePaths: [],
  virtualLeaves: [],
  mixedRows: false,
  trialsARow: new Map(),
};

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
  const own = sql`FROM rows WHERE project_key = ${integer(key)}`;
  // Apart, these are answered by what DuckDB knows of most blocks.
  const [mixed] = await session.rows(sql`SELECT EXISTS (${own} AND respelled)
    OR EXISTS (${own} AND referenced AND inline_example IS NOT NULL)`);
  return {
    key,
    scorePaths: paths.map(catalogPath),
    mixedRows: mixed?.[0] === true,
    evaluations: new Map(),
    virtual: createVirtualCache(),
    trialsARow: new Map(),
  };
}

async function withTrials(session: Session, keys: readonly number[]): Promise<ReadonlySet<number>> {
  if (keys.length === 0) return new Set();
  const list = join(
    keys.map((key) => sql`${integer(key)}`),
    sql`, `,
  );
  const found = await session.rows(
    sql`SELECT DISTINCT evaluation_key FROM trials WHERE evaluation_key IN (${list})`,
  );
  return new Set(found.map(([key]) => Number(key)));
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
    await session.rows(sql`SELECT evaluation_key, has_root, id, evaluation_ref, model_ref, display_name, trace_id,
    started_at FROM evaluations WHERE project_key = ${integer(projectKey)} AND NOT hidden AND id IN (${list})`);
  const rootless = found.filter(([, hasRoot]) => hasRoot !== true).map(([key]) => Number(key));
  const seen = await withTrials(session, rootless);
  const known = found.filter(([key, hasRoot]) => hasRoot === true || seen.has(Number(key)));
  return known.map(([key, , id, evaluationRef, modelRef, displayName, traceId, startedAt]) => [
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
  const wanted = ids.map((id) => callIdentity(projectKey, id));
  const lookup = {
    session,
    reading: createCallReading(conventions),
    hashes: null,
    met: new Map(),
    turns: createTurnTaker(),
  };
  const found = new Map<string, KnownEvaluation>();
  for (const { hidden, parent } of await findChildren(lookup, wanted)) {
    if (!hidden && parent !== null) found.set(parent.id, NOTHING_KNOWN);
  }
  for (const root of await findCalls(lookup, wanted)) {
    if (!root.hidden)
      found.set(root.id, {
        key: null,
        ...readRoot(readText(root.text)),
        startedAt: root.call?.startedAt ?? null,
      });
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
