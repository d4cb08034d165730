import { sliceTables, type SliceScope } from "../../compile/statistics/slices.ts";
import type { Narrowing } from "../../compile/rows/selected-rows.ts";
import type { Plan } from "../../plan/plan.ts";
import { seriesKey } from "../../plan/results.ts";
import type { QueryCatalog } from "../../plan/query-catalog.ts";
import type { Comparing } from "../../request/compare-request.ts";
import type { SlicesAsked } from "../../request/slice-by.ts";
import type { Comparison, ComparisonAnswer, ComparisonInput } from "../../respond/compare/comparison.ts";
import type { PairSums } from "../../respond/compare/pair-sums.ts";
import { sliceAll, type SliceChoice, type WholeComparison } from "../../respond/compare/slice-all.ts";
import type { Session } from "../../store/session.ts";
import { chooseSlices, tryFields, type ChosenSlices } from "../statistics/choose-slices.ts";
import type { Dimension } from "./dimensions.ts";
import { readPairSums } from "./read-pairs.ts";
import { pairDimensions } from "./scales.ts";

/** A baseline with its candidates, and their comparisons over all rows. */
export interface ComparedGroup {
  /** Has the keys of the baseline and the candidates, in this order. */
  readonly plan: Plan;
  readonly dimensions: readonly Dimension[];
  /** In one order. */
  readonly comparisons: readonly Comparison[];
  readonly inputs: readonly ComparisonInput[];
}

interface SliceContext {
  readonly session: Session;
  /** Has the keys of all evaluations. */
  readonly plan: Plan;
  readonly catalog: QueryCatalog;
  readonly narrowed: Narrowing;
  readonly comparing: Comparing;
}

/** The comparisons with their slices, and what is said of them; `times` as in `sliceAll`. */
export async function compareSlices(
  context: SliceContext,
  asked: SlicesAsked,
  groups: readonly ComparedGroup[],
  times: number,
  signal: AbortSignal | undefined,
): Promise<Pick<ComparisonAnswer, "comparisons" | "slicing" | "warnings">> {
  const { session, catalog, narrowed, comparing } = context;
  const scope: SliceScope = {
    plan: context.plan,
    narrowing: narrowed,
    groups: groups.map(({ plan: { evaluationKeys } }) => {
      const [baseline = 0, ...others] = evaluationKeys;
      return { baseline, others };
    }),
  };
  const { choices, warnings } = await chosenFor(session, scope, asked, catalog.fieldWarnings);
  const wholes: WholeComparison[] = [];
  for (const group of groups) wholes.push(...(await readSlices(context, scope, group, choices)));
  const [one, ...others] = choices.map(({ slicing, values }): SliceChoice => ({
    slicing,
    values: values.map(({ value }) => value),
  }));
  const { confidence, margin, adjust } = comparing;
  const options = { confidence, margin, adjust, times };
  return { ...(await sliceAll(wholes, [one ?? NO_SLICES, ...others], options, signal)), warnings };
}

/** Where no field groups the rows. */
const NO_SLICES: SliceChoice = {
  slicing: { fields: [], slice_count: 0, overlapping: false, others: [], fields_tried: [] },
  values: [],
};

async function chosenFor(
  session: Session,
  scope: SliceScope,
  asked: SlicesAsked,
  fieldWarnings: readonly string[],
): Promise<{ readonly choices: readonly ChosenSlices[]; readonly warnings: readonly string[] }> {
  if (asked.fields === null) return tryFields(session, scope, asked);
  const one = await chooseSlices(session, scope, asked.fields, asked.most, fieldWarnings);
  return { choices: [one], warnings: one.warnings };
}

/** Sets of slices in one statement. */
const SETS_AT_ONCE = 10;

/** Reads the sums of every slice of every comparison of a group. */
async function readSlices(
  { session, catalog, narrowed, comparing }: SliceContext,
  scope: SliceScope,
  { plan, dimensions, comparisons, inputs }: ComparedGroup,
  choices: readonly ChosenSlices[],
): Promise<WholeComparison[]> {
  const { trialsPerRow } = catalog;
  const places = await pairDimensions(session, { plan, narrowing: narrowed, trialsPerRow }, dimensions);
  const found = new Map<string, PairSums | null>();
  const sets = choices.map(({ set }) => set);
  for (let i = 0; i < sets.length; i += SETS_AT_ONCE) {
    const slices = sliceTables(scope, sets.slice(i, i + SETS_AT_ONCE));
    const pairs = { places, trialsPerRow, narrowing: narrowed, slices };
    for (const one of await readPairSums(session, plan, pairs, comparing.request.clusterBy))
      found.set(`${seriesKey(one)}:${one.slice}`, one.sums);
  }
  const keys = new Map(dimensions.map(({ path }) => [path.path, path.key]));
  return comparisons.flatMap((comparison, i): WholeComparison[] => {
    const input = inputs[i];
    if (input === undefined) return [];
    const evaluationKey = catalog.evaluations.get(input.candidate)?.key ?? 0;
    const place = seriesKey({ evaluationKey, pathKey: keys.get(input.path) ?? 0 });
    const at = (slice: number) => found.get(`${place}:${slice}`) ?? null;
    return [
      {
        comparison,
        input,
        sums: (choice, slice) => at((sets[choice]?.first ?? 0) + slice),
        withField: (choice) => at(sets[choice]?.any ?? 0)?.differences.n ?? 0,
      },
    ];
  });
}
