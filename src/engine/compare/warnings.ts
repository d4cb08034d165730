import { countOf } from "../../model/messages.ts";
import type { QueryCatalog } from "../../plan/query-catalog.ts";
import { directionIn } from "../../model/direction.ts";
import { isAlike, labelsOf } from "../../respond/compare/changes.ts";
import { clusterCounts } from "../../respond/summary/cluster-error.ts";
import type { ComparisonInput } from "../../respond/compare/comparison.ts";
import { readCosts } from "../query/costs.ts";
import { editedWarnings, keysOnOneSide } from "./edited-rows.ts";
import { dimensionName, isAmong } from "../../respond/compare/dimensions.ts";
import type { ComparisonContext, References, SideFacts } from "./side-facts.ts";
import { lonelyTasks } from "./task-pool.ts";
import { nameText } from "../../model/name-text.ts";

/** Lists everything that makes the two sides of a comparison unlike, one sentence each. */
export async function comparisonWarnings(
  context: ComparisonContext,
  inputs: readonly ComparisonInput[],
  unfinished: ReadonlySet<string>,
  { datasets, scorers }: SideFacts,
): Promise<string[]> {
  const { comparing, catalog, plan, pool } = context;
  const compared = new Set(context.dimensions.map(({ path }) => path.path[0]));
  const ids = [comparing.baseline, ...comparing.candidates];
  const keys = new Map(ids.map((id) => [id, catalog.evaluations.get(id)?.key ?? 0]));
  return [
    ...comparing.candidates.flatMap((id) => rowWarnings(context, unfinished, id, keys.get(id) ?? 0)),
    ...(await keyWarnings(context, keys)),
    ...(pool === null
      ? []
      : comparing.candidates.flatMap((id) =>
          lonelyTasks(pool, sideOf(comparing.baseline, keys), sideOf(id, keys)),
        )),
    ...repeatedTrials(context, keys),
    ...unlike(comparing, "dataset", datasets),
    ...unlike(comparing, "task", tasksOf(ids, catalog)),
    ...[...scorers].flatMap(([scorer, refs]) =>
      compared.has(scorer) ? unlike(comparing, `scorer of ${nameText(scorer)}:`, refs) : [],
    ),
    ...inputs.flatMap((input) => [
      ...valueWarnings(input),
      ...directionWarnings(context, input),
      ...clusterWarnings(input),
      ...labelWarnings(input),
    ]),
    ...(plan.evaluationKeys.length === 0 ? [] : kindWarnings(context, keys)),
    ...(await readCostWarnings(context)),
  ];
}

/** The sides with several trials on a row. */
function repeatedTrials({ catalog, pool }: ComparisonContext, keys: ReadonlyMap<string, number>): string[] {
  return [...keys].flatMap(([id, key]) => {
    const most = catalog.trialsPerRow.get(key) ?? 1;
    if (most <= 1) return [];
    const what = pool === null ? "evaluation" : "model";
    return [`${what} ${quoted(id)} has up to ${most} trials on a row: they are averaged first`];
  });
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
    return [`${quoted(id)}: ${what} ${nameText(labelsOf(other))}, the baseline ${nameText(labelsOf(own))}`];
  });
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

/** Which way both sides say that a score is good, where they do not agree and the request does not say. */
function directionWarnings(
  { comparing, catalog: { evaluations } }: ComparisonContext,
  { baseline, candidate, path, direction }: ComparisonInput,
): string[] {
  if (direction === null || isAmong(path, [...comparing.lowerIsBetter, ...comparing.higherIsBetter]))
    return [];
  const [own, other] = [candidate, baseline].map((id) =>
    directionIn(evaluations.get(id)?.directions ?? {}, path),
  );
  if (own == null || other == null || own === other) return [];
  return [
    `${quoted(candidate)}, ${nameText(dimensionName(path))}: ${own} is better; the baseline says ${other}`,
  ];
}

/** Warns if one cluster holds a large share of the rows. */
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
