import { countOf } from "../../model/messages.ts";
import { callReader } from "../catalog/stored-calls.ts";
import { compileDatasets, compileFirstScorerCalls } from "../../compile/compare/datasets.ts";
import type { Narrowing } from "../../compile/rows/selected-rows.ts";
import type { Conventions } from "../../model/conventions.ts";
import type { Session } from "../../store/session.ts";
import type { Plan } from "../../plan/plan.ts";
import type { QueryCatalog } from "../../plan/query-catalog.ts";
import type { CompareGroup } from "../../request/compare-request.ts";
import { namedVersion, referenceLabel } from "../../model/references.ts";
import { isJsonObject, type JsonObject } from "../../model/json.ts";
import { clusterCounts } from "../../respond/summary/cluster-error.ts";
import type { ComparisonInput } from "../../respond/compare/comparison.ts";
import { readCosts } from "../query/costs.ts";
import { dimensionName, type Dimension } from "../../respond/compare/dimensions.ts";
import type { PairsByPlace } from "./read-pairs.ts";
import { editedWarnings, keysOnOneSide } from "./edited-rows.ts";
import { lonelyTasks, type TaskPool } from "./task-pool.ts";
import { nameText } from "../../model/name-text.ts";

/** Data that the warnings are made from. */
export interface ComparisonContext {
  readonly session: Session;
  readonly conventions: Conventions;
  readonly catalog: QueryCatalog;
  readonly plan: Plan;
  readonly comparing: CompareGroup;
  readonly dimensions: readonly Dimension[];
  readonly pairs: PairsByPlace;
  readonly narrowed: Narrowing;
  /** Where models are compared; null otherwise. */
  readonly pool: TaskPool | null;
}

/** Lists everything that makes the two sides of a comparison unlike, one sentence each. */
export async function comparisonWarnings(
  context: ComparisonContext,
  inputs: readonly ComparisonInput[],
  unfinished: ReadonlySet<string>,
): Promise<string[]> {
  const { comparing, catalog, plan, pool } = context;
  const ids = [comparing.baseline, ...comparing.candidates];
  const keys = new Map(ids.map((id) => [id, catalog.evaluations.get(id)?.key ?? 0]));
  const repeated = ids.flatMap((id) => {
    const most = catalog.trialsPerRow.get(keys.get(id) ?? 0) ?? 1;
    return most <= 1
      ? []
      : [
          `${pool === null ? "evaluation" : "model"} ${quoted(id)} has up to ${most} trials on a row: they are averaged first`,
        ];
  });
  // Of models, what tasks share is the same evaluation.
  const datasets = pool === null ? await readDatasets(context, keys) : new Map<string, readonly string[]>();
  const scorers = pool === null ? await readScorers(context, keys) : [];
  return [
    ...comparing.candidates.flatMap((id) => rowWarnings(context, unfinished, id, keys.get(id) ?? 0)),
    ...(await keyWarnings(context, keys)),
    ...(pool === null
      ? []
      : comparing.candidates.flatMap((id) =>
          lonelyTasks(pool, sideOf(comparing.baseline, keys), sideOf(id, keys)),
        )),
    ...repeated,
    ...unlike(comparing, "dataset", datasets),
    ...unlike(comparing, "task", tasksOf(ids, catalog)),
    ...[...scorers].flatMap(([scorer, refs]) => unlike(comparing, `scorer of ${nameText(scorer)}:`, refs)),
    ...inputs.flatMap((input) => [
      ...valueWarnings(input),
      ...clusterWarnings(input),
      ...labelWarnings(input),
    ]),
    ...(plan.evaluationKeys.length === 0 ? [] : kindWarnings(context, keys)),
    ...(await readCostWarnings(context)),
  ];
}

function sideOf(name: string, keys: ReadonlyMap<string, number>) {
  return { name, key: keys.get(name) ?? 0 };
}

function rowWarnings(
  { pairs, comparing: { baseline } }: ComparisonContext,
  unfinished: ReadonlySet<string>,
  id: string,
  key: number,
): string[] {
  const { onlyBaseline, onlyCandidate, both } = pairs.presence(key);
  if (onlyBaseline === 0 && onlyCandidate === 0) return [];
  const most = both + Math.max(onlyBaseline, onlyCandidate);
  const half = (one: string, other: string, lacking: number) =>
    lacking === 0 || !unfinished.has(one)
      ? []
      : [
          `${quoted(one)} has not finished: it has ${both} of the ${countOf(both + lacking, "row")} of ${quoted(other)}`,
        ];
  return [
    ...half(id, baseline, onlyBaseline),
    ...half(baseline, id, onlyCandidate),
    ...(both * 2 < most
      ? [`${quoted(id)} and ${quoted(baseline)} share ${both} of ${countOf(most, "row")}`]
      : []),
    `${quoted(id)}: ${countOf(onlyBaseline, "row")} in the baseline only and ${onlyCandidate} in the candidate only are left out; ${both} are in both`,
  ];
}

/** What keys of rows say of each pair; the candidate is named where there are several. */
async function keyWarnings(
  { session, plan, catalog, pairs, comparing }: ComparisonContext,
  keys: ReadonlyMap<string, number>,
): Promise<string[]> {
  const { baseline, candidates, leavesOutEdited, isOnePair } = comparing;
  const warnings: string[] = [];
  for (const id of candidates) {
    const { both, edited } = pairs.presence(keys.get(id) ?? 0);
    const shared = both + (leavesOutEdited ? edited.count : 0);
    const own = editedWarnings(edited, shared, leavesOutEdited);
    warnings.push(...own.map((text) => (isOnePair ? text : `${quoted(id)}: ${text}`)));
    if (shared === 0) warnings.push(...(await keysOnOneSide(session, plan, catalog, [baseline, id])));
  }
  return warnings;
}

/** The evaluations that ran, where they are not called by their datasets. */
function tasksOf(ids: readonly string[], catalog: QueryCatalog): References {
  return new Map(
    ids.map((id) => {
      const { evaluationRef = null, datasetRef = null } = catalog.evaluations.get(id) ?? {};
      return [id, evaluationRef === null || evaluationRef === datasetRef ? [] : [evaluationRef]];
    }),
  );
}

/** What evaluations refer to, by id: nothing, or one reference, or several in a total order. */
type References = ReadonlyMap<string, readonly string[]>;

/**
 * Warns about each candidate that refers to another name than the baseline, or to another version where both state one.
 */
function unlike(
  { baseline, candidates }: ComparisonContext["comparing"],
  what: string,
  references: References,
): string[] {
  const own = references.get(baseline) ?? [];
  return candidates.flatMap((id) => {
    const other = references.get(id) ?? [];
    if (own.length === 0 || other.length === 0 || isAlike(own, other)) return [];
    return [`${quoted(id)}: ${what} ${labelsOf(other)}, the baseline ${labelsOf(own)}`];
  });
}

function isAlike(own: readonly string[], other: readonly string[]): boolean {
  const [before, now] = [own.map(namedVersion), other.map(namedVersion)];
  return (
    before.length === now.length &&
    before.every(({ name, version }, i) => {
      const known = version === null || now[i]?.version == null;
      return name === now[i]?.name && (known || version === now[i].version);
    })
  );
}

function labelsOf(references: readonly string[]): string {
  return references.map((one) => nameText(referenceLabel(one))).join(" and ");
}

/** Reads what evaluations, by id and key, state as their datasets, else what their rows do. */
export async function readDatasets(
  { session, plan, narrowed, catalog }: ComparisonContext,
  keys: ReadonlyMap<string, number>,
): Promise<Map<string, readonly string[]>> {
  const found = await session.all(compileDatasets(plan, narrowed));
  const prefixes = (key: number) =>
    found
      .filter(({ evaluationKey }) => evaluationKey === key)
      .map(({ prefix }) => prefix.replace(/\/attr\/rows\/id\/$/, ""));
  return new Map(
    [...keys].map(([id, key]) => {
      const stated = catalog.evaluations.get(id)?.datasetRef ?? null;
      return [id, stated === null ? prefixes(key) : [stated]];
    }),
  );
}

/** Reads, by scorer and evaluation, the reference of the scorer of the first trial. */
export async function readScorers(
  { session, conventions, plan, dimensions }: ComparisonContext,
  keys: ReadonlyMap<string, number>,
): Promise<Map<string, Map<string, readonly string[]>>> {
  const scorers = new Set(dimensions.map(({ path }) => path.path[0] ?? ""));
  const trials = await session.all(compileFirstScorerCalls(plan));
  const calls = new Map(
    trials.map((one) => [one.evaluationKey, new Map(Object.entries(JSON.parse(one.ids) as object))]),
  );
  const ids = [...calls.values()].flatMap((one) =>
    [...one].flatMap(([name, id]) => (scorers.has(name) ? [String(id)] : [])),
  );
  const records =
    ids.length === 0 ? [] : await callReader(session, plan.projectKey).find(plan.projectId, ids);
  const references = new Map(
    records.map(({ id, record }) => [id, scorerReference(record, conventions.attributeNamespaces)]),
  );
  return new Map(
    [...scorers].map((scorer) => [
      scorer,
      new Map(
        [...keys].map(([id, key]) => {
          const found = references.get(String(calls.get(key)?.get(scorer))) ?? null;
          return [id, found === null ? [] : [found]];
        }),
      ),
    ]),
  );
}

/** Returns the scorer that the record of a score call names, else its operation; null if it names neither. */
function scorerReference(record: string, namespaces: readonly string[]): string | null {
  const call = JSON.parse(record) as JsonObject;
  const attributes = call["attributes"];
  for (const name of namespaces) {
    const inside = isJsonObject(attributes) ? attributes[name] : null;
    const scorer = isJsonObject(inside) ? inside["scorer"] : null;
    if (typeof scorer === "string") return scorer;
  }
  return typeof call["op_name"] === "string" ? call["op_name"] : null;
}

function valueWarnings({ candidate, path, rows, sums }: ComparisonInput): string[] {
  const { n_missing_baseline: without, n_missing_candidate: lost } = rows;
  const n = sums?.differences.n ?? 0;
  const name = `${quoted(candidate)}, ${nameText(dimensionName(path))}`;
  if (n < 2)
    return [`${name}: ${n === 0 ? "no row has" : "one row only has"} a value in both; nothing can be said`];
  if (without === 0 && lost === 0) return [];
  return [
    `${name}: ${countOf(without, "row")} without a value in the baseline and ${lost} without one in the candidate are left out`,
  ];
}

/** What of the rows is in clusters, where one of them weighs much. */
function clusterWarnings({ candidate, path, sums }: ComparisonInput): string[] {
  if (sums === null || sums.clusters === null) return [];
  const { largest } = clusterCounts(sums.clusters);
  const { n } = sums.differences;
  if (largest * 3 <= n) return [];
  const name = `${quoted(candidate)}, ${nameText(dimensionName(path))}`;
  return [`${name}: one cluster holds ${largest} of ${n} rows, more than a third`];
}

function labelWarnings({ candidate, path, corrected }: ComparisonInput): string[] {
  if (corrected === undefined) return [];
  const { human, n_labelled: labelled, n_unlabelled: others } = corrected.correction;
  const name = `${quoted(candidate)}, ${nameText(dimensionName(path))}`;
  return [
    `${name}: corrected by ${nameText(human)}, which has labels on both sides on ${labelled} of ${labelled + others} shared rows`,
  ];
}

function kindWarnings(
  { comparing, dimensions }: ComparisonContext,
  keys: ReadonlyMap<string, number>,
): string[] {
  return comparing.candidates.flatMap((id) =>
    dimensions.flatMap(({ path, kinds, baselineKind }) => {
      const kind = kinds.get(keys.get(id) ?? 0);
      if (kind === undefined || baselineKind === undefined || kind === baselineKind) return [];
      return [
        `${quoted(id)}, ${nameText(dimensionName(path.path))}: numbers on one side and booleans, as 1 and 0, on the other`,
      ];
    }),
  );
}

/** What leaves trials without a cost. */
async function readCostWarnings({
  session,
  comparing,
  plan,
  narrowed,
  pool,
}: ComparisonContext): Promise<string[]> {
  const { costDimension: prices } = comparing.request;
  if (prices === null) return [];
  const keys =
    pool === null ? plan.evaluationKeys : [...pool.tasks.values()].flatMap((own) => [...own.values()]);
  const costs = await readCosts(session, { ...plan, evaluationKeys: keys }, narrowed, prices);
  const none = costs.ofEvaluations.size === 0 && costs.warnings.length === 0;
  return none ? [NO_COSTS] : [...costs.warnings];
}

const NO_COSTS = "no call of these evaluations tells a cost, or tokens by model that could be priced";

function quoted(text: string): string {
  return JSON.stringify(text);
}
