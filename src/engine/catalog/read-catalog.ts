import {
  compileEvaluations,
  compileHasRepeated,
  compileMostTrials,
  compileTried,
} from "../../compile/catalog/evaluations.ts";
import { compileSeriesKinds } from "../../compile/scores/counted-trials.ts";
import type { ScoreScope } from "../../compile/scores/score-records.ts";
import { compileProjectFacts, compileProject, compileScorePaths } from "../../compile/catalog/project.ts";
import { storedDirections } from "../../model/direction.ts";
import { readRoot } from "../../model/references.ts";
import type { JsonObject } from "../../model/json.ts";
import { parseTimestamp } from "../../model/timestamp.ts";
import type { CallReader, Session } from "../../store/session.ts";
import type { EvalRequest } from "../../request/eval-request.ts";
import { traitsOf } from "../../plan/dimension-traits.ts";
import { asksForRows } from "../../plan/build-plan.ts";
import type { RowStatistics } from "../../plan/results.ts";
import { epochCache, remembered, type EpochCache } from "../../flow/epoch-cache.ts";
import { createKeptLists, type KeptLists } from "./list-evaluations.ts";
import type { KeptNames } from "./named-request.ts";
import {
  NOTHING_KNOWN,
  type CatalogPath,
  type KnownEvaluation,
  type QueryCatalog,
  type SeriesKind,
} from "../../plan/query-catalog.ts";
import { parseDerivedScores } from "../../request/derived-scores.ts";
import { checkPatterns } from "./check-patterns.ts";
import { missingText } from "../../plan/field-warnings.ts";
import { meaningless } from "../../request/meaningless.ts";
import { readFieldWarnings } from "./field-warnings.ts";
import { callReader } from "./stored-calls.ts";
import { askedOnce, type Answers } from "./asked-once.ts";
import { trialDecider, type KeptConsensus } from "./consensus.ts";
import { rowRater } from "./difficulty.ts";
import { stepCounter, type KeptSteps } from "./step-leaves.ts";
import { readVirtualLeaves } from "./virtual-leaves.ts";

/** A project as every request sees it; constant between writes. */
interface ProjectCatalog {
  readonly key: number;
  readonly scorePaths: readonly CatalogPath[];
  readonly facts: Pick<QueryCatalog, "mixedRows" | "manyTrials" | "longTexts" | "keyedRows">;
  /** Filled on demand; null where the project does not know the id. */
  readonly evaluations: Map<string, KnownEvaluation | null>;
  /** Filled when a request depends on it; see `QueryCatalog`. */
  readonly trialsPerRow: Map<number, number>;
  readonly answers: Answers;
  readonly steps: KeptSteps;
  readonly consensus: KeptConsensus;
}

/** Caches of facts read since the last write. */
export interface CatalogCache {
  readonly projects: EpochCache<ProjectCatalog | null>;
  /** Row statistics do not depend on the page. */
  readonly statistics: EpochCache<RowStatistics>;
  readonly lists: KeptLists;
  readonly names: KeptNames;
}

const CACHED_PROJECTS = 1000;
/** About 400 bytes each. */
const CACHED_NAMES = 20_000;
/** Each sample takes about 300 bytes. */
const CACHED_SAMPLES = 50_000;

export function createCatalogCache(): CatalogCache {
  return {
    projects: epochCache(CACHED_PROJECTS, () => 1),
    lists: createKeptLists(),
    names: epochCache(CACHED_NAMES, (_project, names) => 1 + names.length),
    statistics: epochCache(CACHED_SAMPLES, (_key, statistics) => 1 + sizeOf(statistics)),
  };
}

/** Counts of bins take about 8 bytes each. */
const BINS_OF_A_SAMPLE = 40;

function sizeOf({ samples, histograms }: RowStatistics): number {
  const [edges] = histograms?.edges.values() ?? [];
  return samples.size * (1 + (edges?.length ?? 0) / BINS_OF_A_SAMPLE);
}

const CACHED_EVALUATIONS = 10_000;

/** Reads the facts that planning a request needs, from the cache if nothing has been written since. */
export async function readQueryCatalog(
  session: Session,
  cache: CatalogCache,
  projectId: string,
  request: EvalRequest,
  asTable = false,
): Promise<QueryCatalog> {
  const { evaluationIds } = request;
  await session.about(projectId, evaluationIds);
  await checkPatterns(session, request);
  const derived = await parseDerivedScores(request.derivedScores);
  const project = await remembered(cache.projects, session.epoch, projectId, () =>
    readProject(session, projectId),
  );
  if (project === null) return NOTHING_STORED;
  const evaluations = await readEvaluations(session, project, projectId, evaluationIds);
  const keys = [...evaluations.values()].flatMap(({ key }) => (key === null ? [] : [key]));
  const differences = request.includeRows && request.sortBy.some(({ mode }) => mode === "difference");
  if (differences || request.moved !== null || asksForRows(request) || asTable) {
    await readTrialsPerRow(session, project.trialsPerRow, keys);
  }
  const { includeChildren } = request;
  const scope = { projectId, projectKey: project.key, evaluationKeys: keys, includeChildren };
  const known = await readDimensions(session, project, { ...request, derived }, scope);
  return {
    ...known,
    projectKey: project.key,
    evaluations,
    seriesKinds: await readSeriesKinds(session, request, { ...scope, ...known }),
    ...project.facts,
    trialsPerRow: among(project.trialsPerRow, keys),
  };
}

/** The dimensions that a request may name, and warnings about what it names. */
async function readDimensions(
  session: Session,
  { scorePaths: stored, facts, answers, steps, consensus }: ProjectCatalog,
  request: Parameters<typeof readVirtualLeaves>[1],
  scope: Omit<ScoreScope, "virtualLeaves"> & { readonly projectKey: number },
): Promise<Pick<QueryCatalog, "scorePaths" | "virtualLeaves" | "fieldPaths" | "fieldWarnings">> {
  const ask = askedOnce(session, answers);
  const count = stepCounter(session, steps, { ...scope, trialIds: null });
  const { leaves, paths, fieldPaths, warnings } = await readVirtualLeaves(ask, request, stored, {
    ...scope,
    count,
    decide: trialDecider(session, consensus, scope),
    rate: rowRater(session, scope),
  });
  const latestFirst = facts.keyedRows ? scope.evaluationKeys : [];
  const fields = { ...facts, ...scope, leaves, paths: [...paths, ...fieldPaths], latestFirst };
  const ofFields = await readFieldWarnings(session, ask, request, fields);
  refuseUnknownClusters(ofFields);
  return { scorePaths: paths, virtualLeaves: leaves, fieldPaths, fieldWarnings: [...ofFields, ...warnings] };
}

/** Throws `RequestError` where no row has the field of the clusters: each row would be one of its own. */
function refuseUnknownClusters(warnings: readonly string[]): void {
  const [said] = warnings.flatMap((warning) => missingText(warning, "cluster_by") ?? []);
  if (said !== undefined) throw meaningless(["cluster_by"], said);
}

async function readSeriesKinds(
  session: Session,
  { includeSummary, countings }: EvalRequest,
  scope: ScoreScope,
): Promise<readonly SeriesKind[]> {
  if (!includeSummary || countings.length === 0 || scope.evaluationKeys.length === 0) return [];
  // A failed trial costs what it costs, whatever it counts as in scores.
  const virtualLeaves = scope.virtualLeaves.filter((leaf) => traitsOf(leaf).isScore);
  return session.all(compileSeriesKinds({ ...scope, virtualLeaves }));
}

function among(known: ReadonlyMap<number, number>, keys: readonly number[]): ReadonlyMap<number, number> {
  return new Map(
    keys.flatMap((key) => {
      const value = known.get(key);
      return value === undefined ? [] : [[key, value]];
    }),
  );
}

/** Reads the known evaluations among `ids`, in the order of `ids`. */
async function readEvaluations(
  session: Session,
  project: ProjectCatalog,
  projectId: string,
  ids: readonly string[],
): Promise<Map<string, KnownEvaluation>> {
  const unread = ids.filter((id) => !project.evaluations.has(id));
  if (unread.length > 0) {
    if (project.evaluations.size > CACHED_EVALUATIONS) project.evaluations.clear();
    const stored = await storedEvaluations(session, project.key, unread);
    for (const [id, known] of stored) project.evaluations.set(id, known);
    const unseen = unread.filter((id) => !project.evaluations.has(id));
    const bare = await bareEvaluations(callReader(session, project.key), projectId, unseen);
    for (const id of unseen) project.evaluations.set(id, bare.get(id) ?? null);
  }
  const evaluations = new Map<string, KnownEvaluation>();
  for (const id of ids) {
    const known = project.evaluations.get(id) ?? null;
    if (known !== null) evaluations.set(id, known);
  }
  return evaluations;
}

const NO_FACTS = { mixedRows: false, manyTrials: false, longTexts: false, keyedRows: false };

const NOTHING_STORED: QueryCatalog = {
  fieldWarnings: [],
  projectKey: null,
  evaluations: new Map(),
  scorePaths: [],
  virtualLeaves: [],
  fieldPaths: [],
  seriesKinds: [],
  ...NO_FACTS,
  trialsPerRow: new Map(),
};

async function readProject(session: Session, projectId: string): Promise<ProjectCatalog | null> {
  const [project] = await session.all(compileProject(projectId));
  if (project === undefined) return null;
  const { key } = project;
  const scorePaths = await session.all(compileScorePaths(key));
  const [facts] = await session.all(compileProjectFacts(key));
  return {
    key,
    scorePaths,
    facts: facts ?? NO_FACTS,
    evaluations: new Map(),
    trialsPerRow: new Map(),
    answers: new Map(),
    steps: new Map(),
    consensus: new Map(),
  };
}

async function storedEvaluations(
  session: Session,
  projectKey: number,
  ids: readonly string[],
): Promise<[string, KnownEvaluation][]> {
  const found = await session.all(compileEvaluations(projectKey, ids));
  const rootless = found.filter(({ hasRoot }) => !hasRoot).map(({ key }) => key);
  const tried = rootless.length === 0 ? [] : await session.all(compileTried(rootless));
  const seen = new Set(tried.map(({ key }) => key));
  return found
    .filter(({ key, hasRoot }) => hasRoot || seen.has(key))
    .map(({ id, hasRoot: _root, attributes, ...known }) => [
      id,
      { ...known, directions: storedDirections(attributes) },
    ]);
}

/** Finds evaluations without stored trials: only their root, or children that are no trials, are stored. */
async function bareEvaluations(
  calls: CallReader,
  projectId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, KnownEvaluation>> {
  const found = new Map<string, KnownEvaluation>();
  if (ids.length === 0) return found;
  for (const { record } of await calls.childOfEach(projectId, ids)) {
    const parent = (JSON.parse(record) as JsonObject)["parent_id"];
    if (typeof parent === "string") found.set(parent, NOTHING_KNOWN);
  }
  for (const { id, record } of await calls.find(projectId, ids)) {
    const startedAt = (JSON.parse(record) as JsonObject)["started_at"];
    const { attributes, ...root } = readRoot(record);
    found.set(id, {
      key: null,
      ...root,
      directions: storedDirections(attributes),
      startedAt: typeof startedAt === "string" ? parseTimestamp(startedAt) : null,
    });
  }
  return found;
}

/** Adds to `known` the most trials that a row has in each evaluation: where it is one, nothing needs a mean by row. */
async function readTrialsPerRow(
  session: Session,
  known: Map<number, number>,
  keys: readonly number[],
): Promise<void> {
  const unread = keys.filter((key) => !known.has(key));
  for (const near of neighbours(unread)) {
    const [found] = await session.all(compileHasRepeated(near));
    if (found?.repeated === true) {
      for (const { key, most } of await session.all(compileMostTrials(near))) known.set(key, most);
    } else for (const key of near) known.set(key, 1);
  }
}

/**
 * The bits of a word distinguish evaluations whose keys lie this close; DuckDB takes long to plan statements with more
 * parts.
 */
const TOGETHER = 62;

/** Groups keys that lie within {@link TOGETHER} of the lowest key of their group. */
function neighbours(keys: readonly number[]): number[][] {
  const groups: number[][] = [];
  for (const key of keys.toSorted((a, b) => a - b)) {
    const last = groups.at(-1);
    if (last?.[0] !== undefined && key - last[0] <= TOGETHER) last.push(key);
    else groups.push([key]);
  }
  return groups;
}
