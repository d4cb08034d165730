import { withLongTexts } from "../catalog/long-texts.ts";
import { sliceTables, type SliceScope } from "../../compile/statistics/slices.ts";
import { narrowing } from "../../compile/rows/selected-rows.ts";
import { buildPlan } from "../../plan/build-plan.ts";
import { readQueryCatalog } from "../catalog/read-catalog.ts";
import type { QueryContext } from "../base/context.ts";
import type { ComparedGroup } from "./read-group.ts";
import type { Plan } from "../../plan/plan.ts";
import { seriesKey } from "../../model/series-key.ts";
import type { SlicesAsked } from "../../request/slice-by.ts";
import type { Comparison, ComparisonAnswer } from "../../respond/compare/comparison.ts";
import type { PairSums } from "../../respond/compare/pair-sums.ts";
import { sliceAll, type SliceChoice, type WholeComparison } from "../../respond/compare/slice-all.ts";
import type { Session } from "../../store/session.ts";
import { chooseSlices, tryFields, type ChosenSlices } from "../slices/choose-slices.ts";
import { sliceByUsage } from "../../respond/compare/usage-slices.ts";
import { placeByUsage } from "./place-by-usage.ts";
import { readPairSums } from "./read-pairs.ts";
import { pairDimensions } from "./scales.ts";

/** The comparisons of all groups with the slices that were asked for, and what is said of them. */
export async function compareSlices(
  session: Session,
  context: QueryContext,
  projectId: string,
  groups: readonly ComparedGroup[],
  comparisons: readonly Comparison[],
  signal: AbortSignal | undefined,
): Promise<Pick<ComparisonAnswer, "comparisons" | "slicing" | "warnings" | "notes">> {
  const [first] = groups;
  const asked = first?.context.comparing.request.slices ?? null;
  if (first === undefined || asked === null) return { comparisons, warnings: [] };
  const { comparing, plan, catalog } = first.context;
  const usage =
    asked.usage === null ? null : await placeByUsage(session, context, projectId, asked.usage, comparing);
  if (usage !== null) await session.about(projectId, plan.evaluationIds);
  const fields = usage === null ? asked.fields : [usage.field];
  const scope = groups.length === 1 ? scopeOf(first) : await scopeOfAll(session, context, projectId, groups);
  const { choices, warnings } = await chosenFor(session, scope, { ...asked, fields }, catalog.fieldWarnings);
  const wholes: WholeComparison[] = [];
  for (const group of groups) {
    const own = comparisons.slice(wholes.length, wholes.length + group.inputs.length);
    wholes.push(...(await readSlices(group, own, choices)));
  }
  const [one, ...others] = choices.map(({ slicing, values }): SliceChoice => ({
    slicing,
    values: values.map(({ value }) => value),
  }));
  const { confidence, margin, adjust, ranking } = comparing;
  const times = ranking === null ? 1 : plan.evaluationKeys.length / 2;
  const options = { confidence, margin, adjust, times };
  const judge = (some: readonly WholeComparison[]) =>
    sliceAll(some, [one ?? NO_SLICES, ...others], options, signal);
  if (usage === null) return { ...(await judge(wholes)), warnings };
  return { ...(await sliceByUsage(wholes, usage, judge)), warnings: [...usage.warnings, ...warnings] };
}

function scopeOf({ context: { plan, narrowed } }: ComparedGroup): SliceScope {
  return { plan, narrowing: narrowed, groups: [sidesOf(plan)] };
}

function sidesOf({ evaluationKeys: [baseline = 0, ...others] }: Plan) {
  return { baseline, others };
}

/** What the slices of several groups are chosen from. */
async function scopeOfAll(
  session: Session,
  { catalogs }: QueryContext,
  projectId: string,
  groups: readonly ComparedGroup[],
): Promise<SliceScope> {
  const [first] = groups;
  if (first === undefined) throw new TypeError("a comparison has a baseline");
  const evaluationIds = [...new Set(groups.flatMap(({ context }) => context.plan.evaluationIds))];
  const request = { ...first.context.comparing.request, evaluationIds };
  const catalog = await readQueryCatalog(session, catalogs, projectId, request);
  const built = await withLongTexts(session, buildPlan(projectId, request, catalog), request);
  const plan = built ?? first.context.plan;
  return {
    plan,
    narrowing: narrowing(plan, false),
    groups: groups.map(({ context }) => sidesOf(context.plan)),
  };
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
  group: ComparedGroup,
  comparisons: readonly Comparison[],
  choices: readonly ChosenSlices[],
): Promise<WholeComparison[]> {
  const { context, inputs } = group;
  const { session, plan, catalog, narrowed, comparing, dimensions } = context;
  const { trialsPerRow } = catalog;
  const places = await pairDimensions(session, { plan, narrowing: narrowed, trialsPerRow }, dimensions);
  const found = new Map<string, PairSums | null>();
  const sets = choices.map(({ set }) => set);
  for (let i = 0; i < sets.length; i += SETS_AT_ONCE) {
    const slices = sliceTables(scopeOf(group), sets.slice(i, i + SETS_AT_ONCE));
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
