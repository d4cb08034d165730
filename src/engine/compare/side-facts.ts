import type { Narrowing } from "../../compile/rows/selected-rows.ts";
import type { Conventions } from "../../model/conventions.ts";
import type { Plan, ScorePath } from "../../plan/plan.ts";
import type { CompareGroup } from "../../request/parse-compare-request.ts";
import type { Dimension } from "../../respond/compare/dimensions.ts";
import type { Session } from "../../store/session.ts";
import type { PairsByPlace } from "./read-pairs.ts";
import type { TaskPool } from "./task-pool.ts";
import { callReader } from "../catalog/stored-calls.ts";
import { compileDatasets, compileFirstScorerCalls } from "../../compile/compare/datasets.ts";
import { grouped } from "../../model/grouped.ts";
import { isJsonObject, type JsonObject } from "../../model/json.ts";
import { NOTHING_KNOWN, type QueryCatalog } from "../../plan/query-catalog.ts";
import type { ScoreSum } from "../../plan/results.ts";
import { changesOf, type Changes, type ChangingSide } from "../../respond/compare/changes.ts";

/** What is compared, and how. */
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

/** What evaluations refer to, by id: nothing, or one reference, or several in a total order. */
export type References = ReadonlyMap<string, readonly string[]>;

/** What evaluations say of their data and their scorers. */
export interface SideFacts {
  readonly datasets: References;
  /** By scorer. */
  readonly scorers: ReadonlyMap<string, References>;
  /** What changed, of each candidate. */
  readonly changes: readonly Changes[];
}

/** What the sides say of themselves, read once; of models nothing is read: what tasks share is the same evaluation. */
export function sideFacts(
  context: ComparisonContext,
  paths: readonly ScorePath[],
  sums: readonly ScoreSum[],
): () => Promise<SideFacts> {
  let facts: Promise<SideFacts> | null = null;
  return () => (facts ??= readSideFacts(context, scoredPaths(paths, sums)));
}

async function readSideFacts(
  context: ComparisonContext,
  scored: ReadonlyMap<number, readonly ScorePath[]>,
): Promise<SideFacts> {
  const { comparing, catalog, pool } = context;
  const ids = [comparing.baseline, ...comparing.candidates];
  const keys = new Map(ids.map((id) => [id, catalog.evaluations.get(id)?.key ?? 0]));
  const names = new Set([...scored.values()].flatMap((paths) => paths.map(({ path }) => path[0] ?? "")));
  const facts = {
    datasets: pool === null ? await readDatasets(context, keys) : new Map<string, readonly string[]>(),
    scorers: pool === null ? await readScorers(context, names, keys) : new Map<string, References>(),
  };
  return { ...facts, changes: changesIn(context, scored, facts) };
}

/** The stored scores with a value, by evaluation. */
function scoredPaths(
  paths: readonly ScorePath[],
  sums: readonly ScoreSum[],
): ReadonlyMap<number, readonly ScorePath[]> {
  const stored = new Map(paths.filter(({ key }) => key >= 0).map((path) => [path.key, path]));
  const valued = sums.filter(({ count, pathKey }) => count > 0 && stored.has(pathKey));
  const byKey = grouped(valued, ({ evaluationKey }) => evaluationKey);
  return new Map(
    Array.from(byKey, ([key, own]) => {
      const found = new Set(own.map(({ pathKey }) => pathKey));
      return [key, [...stored.values()].filter((path) => found.has(path.key))];
    }),
  );
}

function changesIn(
  { comparing, catalog, pairs, pool }: ComparisonContext,
  scored: ReadonlyMap<number, readonly ScorePath[]>,
  { datasets, scorers }: Omit<SideFacts, "changes">,
): Changes[] {
  const { baseline, candidates } = comparing;
  const sideOf = (id: string): ChangingSide => {
    const { key, modelRef, commit } = catalog.evaluations.get(id) ?? NOTHING_KNOWN;
    return {
      id,
      model: pool === null ? modelRef : id,
      datasets: datasets.get(id) ?? [],
      commit,
      trialsPerRow: catalog.trialsPerRow.get(key ?? 0) ?? 1,
      scores: (scored.get(key ?? 0) ?? []).map(({ path }) => path),
      scorers: new Map(
        [...scorers].flatMap(([name, refs]) => (refs.get(id) ?? []).map((one) => [name, one])),
      ),
    };
  };
  const before = sideOf(baseline);
  return candidates.map((id) => {
    const own = pairs.presence(catalog.evaluations.get(id)?.key ?? 0);
    const { both, onlyBaseline, onlyCandidate, edited } = own;
    const same = both - (comparing.leavesOutEdited ? 0 : edited.count);
    const rows = { same, added: onlyCandidate, removed: onlyBaseline, edited: edited.count };
    return changesOf(before, sideOf(id), rows);
  });
}

async function readDatasets(
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
async function readScorers(
  { session, conventions, plan }: ComparisonContext,
  scorers: ReadonlySet<string>,
  keys: ReadonlyMap<string, number>,
): Promise<Map<string, Map<string, readonly string[]>>> {
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
