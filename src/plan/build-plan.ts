import { NO_LONG_TEXTS } from "./plan.ts";
import { grouped } from "../model/grouped.ts";
import { jsonPointer, type FieldPath } from "../model/field-path.ts";
import type { EvalRequest, ParsedMove, ParsedSortKey } from "../request/eval-request.ts";
import { mapFields } from "../request/expression.ts";
import { ancestorFinder, countWarnings, exponentsWith, planCounting } from "./counting.ts";
import type { FieldSource, FilterPlan, MovePlan, Plan, RowsPlan, SortPlan, SummaryPlan } from "./plan.ts";
import type { CatalogPath, QueryCatalog } from "./query-catalog.ts";
import { ROW_PREFIX, STEP_PREFIXES } from "./virtual-leaves.ts";

/** A request and what it is planned with. */
interface Planning {
  readonly request: EvalRequest;
  readonly catalog: QueryCatalog;
  /** Keys of the requested evaluations that are known. */
  readonly keys: readonly number[];
  readonly keyOf: (id: string) => number | null;
  readonly locate: (field: FieldPath) => FieldSource;
}

/** Resolves a request against the catalog. Null means that no trial can be found. */
export function buildPlan(projectId: string, request: EvalRequest, catalog: QueryCatalog): Plan | null {
  const keyOf = (id: string) => catalog.evaluations.get(id)?.key ?? null;
  const keys = request.evaluationIds.map(keyOf).filter((key) => key !== null);
  if (catalog.projectKey === null || keys.length === 0) return null;
  const known = [...catalog.scorePaths, ...catalog.fieldPaths];
  const paths = new Map(known.map((path) => [JSON.stringify(path.path), path]));
  const locate = (field: FieldPath) => locateField(field, paths);
  const planning: Planning = { request, catalog, keys, keyOf, locate };
  const filters = request.filters.map((filter): FilterPlan & { id: string | null } => ({
    id: filter.evaluationId,
    condition: mapFields(filter.condition, locate),
    evaluationKeys: scope(filter.evaluationId, planning),
    quantifier: filter.quantifier,
  }));
  const { includeSummary } = request;
  const countings = includeSummary ? request.countings.map((one) => planCounting(one, catalog, keys)) : [];
  return {
    projectId,
    projectKey: catalog.projectKey,
    evaluationKeys: keys,
    evaluationIds: request.evaluationIds.filter((id) => keyOf(id) !== null),
    requestedCount: request.evaluationIds.length,
    includeChildren: request.includeChildren,
    mixedRows: catalog.mixedRows,
    manyTrials: catalog.manyTrials,
    longTexts: catalog.longTexts,
    ...NO_LONG_TEXTS,
    latestFirst: catalog.keyedRows ? latestFirst(request, catalog) : [],
    virtualLeaves: catalog.virtualLeaves,
    countings,
    filterGroups: groupFilters(filters, request.filterLogic),
    moved: request.moved === null ? null : planMoved(request.moved, planning),
    missing: request.missing === null ? null : locate(request.missing),
    search: request.search,
    prices: request.prices,
    rows: request.includeRows ? planRows(planning) : null,
    summary: includeSummary ? planSummary(planning, countings) : null,
  };
}

function latestFirst({ evaluationIds }: EvalRequest, { evaluations }: QueryCatalog): number[] {
  const known = evaluationIds.flatMap((id) => evaluations.get(id) ?? []);
  const started = known.toSorted((a, b) => Number((b.startedAt ?? -1n) - (a.startedAt ?? -1n)));
  return started.flatMap(({ key }) => key ?? []);
}

/** Keys of the evaluations whose trials count: all without an id, else the named one; null: no trial counts. */
function scope(id: string | null, { request, keys, keyOf }: Planning): readonly number[] | null {
  if (id === null) return keys;
  const key = request.evaluationIds.includes(id) ? keyOf(id) : null;
  return key === null ? null : [key];
}

/** `and` makes one group; `or` makes a group for each named evaluation, and one for filters that name none. */
function groupFilters(
  filters: readonly (FilterPlan & { readonly id: string | null })[],
  logic: "and" | "or",
): FilterPlan[][] {
  const groups = grouped(filters, ({ id }) => (logic === "and" ? null : id));
  return [...groups.values()].map((group) => group.map(({ id: _id, ...filter }) => filter));
}

function isRepeated({ catalog }: Planning, keys: readonly number[]): boolean {
  return keys.some((key) => catalog.trialsPerRow.get(key) !== 1);
}

function planMoved({ field, baselineId, direction }: ParsedMove, planning: Planning): MovePlan {
  const [baselineKey = null] = baselineId === null ? [] : (scope(baselineId, planning) ?? []);
  return {
    field: planning.locate(field),
    baselineKey,
    direction,
    possible: baselineId === null || baselineKey !== null,
    repeated: isRepeated(planning, planning.keys),
  };
}

function planRows(planning: Planning): RowsPlan {
  const { request } = planning;
  return {
    intersection: request.requireIntersection && request.evaluationIds.length > 1,
    sortBy: request.sortBy.flatMap((key) => planSort(key, planning)),
    limit: request.limit,
    offset: request.offset,
    rawRows: request.rawRows,
  };
}

function planSort(key: ParsedSortKey, planning: Planning): SortPlan[] {
  const difference = key.mode === "difference" && planning.request.evaluationIds.length > 1;
  const named = key.evaluationId !== null && key.mode !== "difference";
  const evaluationKeys = named ? scope(key.evaluationId, planning) : planning.keys;
  const field = planning.locate(key.field);
  if (evaluationKeys === null || field.kind === "missing") return [];
  return [
    {
      field,
      descending: key.descending,
      mode: difference ? "difference" : "value",
      evaluationKeys,
      repeated: isRepeated(planning, evaluationKeys),
      named,
    },
  ];
}

function planSummary({ request, catalog, keys }: Planning, countings: Plan["countings"]): SummaryPlan {
  const { includeUncertainty, passK, includeUsage, includeRowCounts, histogramBins, slices } = request;
  const ancestorsOf = ancestorFinder(catalog.scorePaths);
  return {
    intersection: request.summaryRequireIntersection && request.evaluationIds.length > 1,
    scorePaths: catalog.scorePaths
      .filter((path) => path.leaf)
      .map(({ key, path, exponents, kind }) => ({
        key,
        path,
        ...(kind === undefined ? {} : { kind }),
        exponents: exponentsWith(exponents, key, countings),
        ancestors: ancestorsOf(path),
      })),
    slices: slices?.fields == null ? null : { fields: slices.fields, most: slices.most },
    rowStatistics: asksForRows(request)
      ? {
          uncertainty: includeUncertainty,
          clusterBy: includeUncertainty ? request.clusterBy : null,
          passK,
          usage: includeUsage,
          rowCounts: includeRowCounts,
          histogramBins,
          trialsPerRow: keys.map((key) => ({
            evaluationKey: key,
            most: catalog.trialsPerRow.get(key) ?? 0,
          })),
        }
      : null,
  };
}

/** Whether the summary needs the values of rows. */
export function asksForRows(request: EvalRequest): boolean {
  const { includeSummary, includeUncertainty, passK, includeUsage, includeRowCounts, histogramBins } =
    request;
  const flags = includeUncertainty || includeUsage || includeRowCounts || request.slices !== null;
  return includeSummary && (flags || passK.length > 0 || histogramBins !== null);
}

/** Where the values of a field are; `paths` are keyed by the path as JSON. */
export function locateField(field: FieldPath, paths: ReadonlyMap<string, CatalogPath>): FieldSource {
  const pointer = jsonPointer(field.segments);
  switch (field.root) {
    case "row_digest":
      return { kind: "digest" };
    case "error":
    case "stop_reason":
      return { kind: field.root };
    case "inputs":
      return { kind: "input", pointer };
    case "outputs":
      return { kind: "output", of: "model", pointer };
    case "output":
      return { kind: "output", of: "call", pointer };
    case "steps":
      return locateSteps(field.segments, paths);
    case "row":
      return leafAt(paths.get(JSON.stringify([...ROW_PREFIX, ...field.segments])));
    case "scores":
      return locateScore(field.segments, pointer, paths);
  }
}

/** What steps count, under either name that it may have beside scores. */
function locateSteps(segments: readonly string[], paths: ReadonlyMap<string, CatalogPath>): FieldSource {
  const named = STEP_PREFIXES.map((prefix) => paths.get(JSON.stringify([...prefix, ...segments])));
  const found = named.find((path) => path?.kind === "steps" || path?.kind === "faults");
  return leafAt(found);
}

function leafAt(found: CatalogPath | undefined): FieldSource {
  if (found === undefined) return { kind: "missing" };
  return { kind: "leaf", pathKey: found.key, exponents: found.exponents };
}

/** Dimensions are read from columns. Fields inside a list, or that name an object or list, are read from JSON. */
function locateScore(
  segments: readonly string[],
  pointer: string,
  paths: ReadonlyMap<string, CatalogPath>,
): FieldSource {
  for (let length = 1; length < segments.length; length++) {
    if (paths.get(JSON.stringify(segments.slice(0, length)))?.list === true)
      return { kind: "score", pointer };
  }
  const found = paths.get(JSON.stringify(segments));
  return found?.container === true ? { kind: "score", pointer } : leafAt(found);
}

/** Warnings about the evaluations and fields that a request names, one for each and reason. */
export function requestWarnings(request: EvalRequest, catalog: QueryCatalog): string[] {
  const unknown = request.evaluationIds.filter((id) => !catalog.evaluations.has(id));
  const valueSorts = request.sortBy.filter((key) => key.mode !== "difference");
  return [
    ...unknown.map(
      (id) =>
        `evaluation ${JSON.stringify(id)} is not in this project: neither its call nor a child of it is stored; the list of evaluations has those that are`,
    ),
    ...notRequested(request, valueSorts).map(
      (id) => `sort_by names evaluation ${JSON.stringify(id)}, which was not requested: it orders nothing`,
    ),
    ...notRequested(request, request.filters).map(
      (id) => `filters name evaluation ${JSON.stringify(id)}, which was not requested: they keep no row`,
    ),
    ...notRequested(request, request.moved === null ? [] : [{ evaluationId: request.moved.baselineId }]).map(
      (id) => `moved names evaluation ${JSON.stringify(id)}, which was not requested: it keeps no row`,
    ),
    ...catalog.fieldWarnings,
    ...(request.includeSummary ? request.countings.flatMap((one) => countWarnings(one, catalog)) : []),
  ];
}

function notRequested(
  request: EvalRequest,
  named: readonly { readonly evaluationId: string | null }[],
): string[] {
  const ids = new Set(named.flatMap(({ evaluationId }) => (evaluationId === null ? [] : [evaluationId])));
  return [...ids].filter((id) => !request.evaluationIds.includes(id));
}
