import { grouped } from "../../model/grouped.ts";
import { countOf, firstAndMore } from "../../model/messages.ts";
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
    ...onceAPair(inputs.flatMap(valueNotes)),
    ...onceAPair(inputs.flatMap((input) => directionNotes(context, input))),
    ...onceAPair(inputs.flatMap(clusterNotes)),
    ...onceAPair(inputs.flatMap(labelNotes)),
    ...(plan.evaluationKeys.length === 0 ? [] : onceAPair(kindNotes(context, keys))),
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

/** What is said of one score of a candidate; the name of the score is its end. */
interface ScoreNote {
  readonly candidate: string;
  readonly path: readonly string[];
  readonly text: string;
}

const MOST_SCORES = 12;

/** One sentence a candidate, each text with the list of its scores. */
function onceAPair(notes: readonly ScoreNote[]): string[] {
  return [...grouped(notes, ({ candidate }) => candidate)].map(([candidate, own]) => {
    const parts = [...grouped(own, ({ text }) => text)].map(
      ([text, same]) =>
        `${text} ${firstAndMore(
          same.map(({ path }) => scoreText(path)),
          MOST_SCORES,
        )}`,
    );
    return `${quoted(candidate)}: ${parts.join("; ")}`;
  });
}

function scoreText(path: readonly string[]): string {
  return nameText(dimensionName(path));
}

function valueNotes({ candidate, path, rows, sums }: ComparisonInput): ScoreNote[] {
  const { n_missing_baseline: without, n_missing_candidate: lost } = rows;
  const n = sums?.differences.n ?? 0;
  const both = n === 0 ? "no row has" : "one row only has";
  if (n < 2) return [{ candidate, path, text: `${both} a value in both, so nothing can be said of` }];
  const sides = [
    { count: lost, of: "" },
    { count: without, of: " of the baseline" },
  ];
  return sides.flatMap(({ count, of }) =>
    count === 0
      ? []
      : [{ candidate, path, text: `left out: ${countOf(count, "row")}${of} without a value in` }],
  );
}

/** Which way both sides say that a score is good, where they do not agree and the request does not say. */
function directionNotes(
  { comparing, catalog: { evaluations } }: ComparisonContext,
  { baseline, candidate, path, direction }: ComparisonInput,
): ScoreNote[] {
  if (direction === null || isAmong(path, [...comparing.lowerIsBetter, ...comparing.higherIsBetter]))
    return [];
  const [own, other] = [candidate, baseline].map((id) =>
    directionIn(evaluations.get(id)?.directions ?? {}, path),
  );
  if (own == null || other == null || own === other) return [];
  return [{ candidate, path, text: `${own} is better, and the baseline says ${other}, in` }];
}

/** Warns if one cluster holds a large share of the rows. */
function clusterNotes({ candidate, path, sums }: ComparisonInput): ScoreNote[] {
  if (sums === null || sums.clusters === null) return [];
  const { largest } = clusterCounts(sums.clusters);
  const { n } = sums.differences;
  if (largest * 3 <= n) return [];
  return [{ candidate, path, text: `one cluster holds ${largest} of ${n} rows, more than a third, in` }];
}

function labelNotes({ candidate, path, corrected }: ComparisonInput): ScoreNote[] {
  if (corrected === undefined) return [];
  const { human, n_labelled: labelled, n_unlabelled: others } = corrected.correction;
  const rows = `on ${labelled} of ${labelled + others} shared rows`;
  return [
    {
      candidate,
      path,
      text: `corrected by ${nameText(human)}, which has labels on both sides ${rows}, in`,
    },
  ];
}

function kindNotes(
  { comparing, dimensions }: ComparisonContext,
  keys: ReadonlyMap<string, number>,
): ScoreNote[] {
  return comparing.candidates.flatMap((candidate) =>
    dimensions.flatMap(({ path, kinds, baselineKind }) => {
      const kind = kinds.get(keys.get(candidate) ?? 0);
      if (kind === undefined || baselineKind === undefined || kind === baselineKind) return [];
      const text = "numbers on one side and booleans, as 1 and 0, on the other in";
      return [{ candidate, path: path.path, text }];
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
