import {
  compileSliceClusters,
  compileSliceMoments,
  compileSliceTrials,
} from "../../compile/statistics/slice-sums.ts";
import { sliceTables, type SliceScope } from "../../compile/statistics/slices.ts";
import type { ValueScope } from "../../compile/statistics/row-values.ts";
import { narrowing } from "../../compile/rows/selected-rows.ts";
import { shiftAt } from "../../compile/sums/fixed-point.ts";
import { grouped } from "../../model/grouped.ts";
import type { Plan, SummaryPlan } from "../../plan/plan.ts";
import { seriesKey } from "../../model/series-key.ts";
import type { ScoreSum, ScoreSums } from "../../plan/results.ts";
import { summarySlice, type SliceCounts, type SummarySlices } from "../../respond/summary/slice-stats.ts";
import type { Session } from "../../store/session.ts";
import type { Sql } from "../../store/sql.ts";
import { chooseSlices, type ChosenSlices } from "./choose-slices.ts";
import { readPoints } from "../statistics/measured-samples.ts";
import { numericOf } from "../statistics/value-reader.ts";

/** The slices that a summary is asked for, and what numbers them. */
interface ChosenSummarySlices extends ChosenSlices {
  readonly tables: readonly Sql[];
}

/**
 * Chooses the slices of a summary; null where it is asked for none. Throws `RequestError` where no row has a value of
 * the fields, so it comes before anything is written.
 */
export async function chooseSummarySlices(
  session: Session,
  plan: Plan | null,
  fieldWarnings: readonly string[],
): Promise<ChosenSummarySlices | null> {
  const { summary = null } = plan ?? {};
  if (plan === null || summary === null || summary.slices === null) return null;
  const groups = [{ baseline: null, others: plan.evaluationKeys }];
  const scope: SliceScope = { plan, narrowing: narrowing(plan, summary.intersection), groups };
  const { fields, most } = summary.slices;
  const chosen = await chooseSlices(session, scope, fields, most, fieldWarnings);
  return { ...chosen, tables: sliceTables(scope, [chosen.set]) };
}

/** Reads the slices that were chosen. */
export async function readSummarySlices(
  session: Session,
  plan: Plan | null,
  counted: ScoreSums,
  chosen: ChosenSummarySlices | null,
): Promise<SummarySlices | null> {
  const { summary = null } = plan ?? {};
  if (plan === null || summary === null || chosen === null) return null;
  const { slicing, values, tables } = chosen;
  const descriptive = slicing.descriptive === true;
  const read = await readCounts(session, plan, summary, counted, { tables, descriptive });
  const withInterval = summary.rowStatistics?.uncertainty === true;
  const tell = (of: (slice: number) => SliceCounts) =>
    values.map(({ value }, i) => summarySlice(value, of(i), { descriptive, withInterval }));
  return {
    slicing: { ...slicing, values },
    slices: new Map(counted.sums.map((sum) => [seriesKey(sum), tell((i) => read(sum, i))])),
    none: tell(() => NO_COUNTS),
  };
}

const NO_COUNTS: SliceCounts = { trials: 0, known: 0, passed: 0, sample: null };

/** Reads what each slice of each series has. */
async function readCounts(
  session: Session,
  plan: Plan,
  summary: SummaryPlan,
  { sums, rowStatistics }: ScoreSums,
  { tables, descriptive }: { readonly tables: readonly Sql[]; readonly descriptive: boolean },
): Promise<(sum: ScoreSum, slice: number) => SliceCounts> {
  const most = new Map(summary.rowStatistics?.trialsPerRow.map((one) => [one.evaluationKey, one.most]));
  const scope: ValueScope = {
    places: sums,
    wholeKinds: false,
    trialsPerRow: descriptive ? 1 : Math.max(1, ...most.values()),
    byTrial: descriptive,
    narrowing: narrowing(plan, summary.intersection),
  };
  const trials = sums.length === 0 ? [] : await session.all(compileSliceTrials(plan, scope, tables));
  const samples = await readSamples(session, plan, summary, { ...scope, places: numericOf(sums) }, tables);
  const counts = new Map(trials.map((one) => [sliceKey(one), one]));
  return (sum, slice) => {
    const own = sliceKey({ ...sum, slice });
    const { trials: all = 0, known = 0, passed = 0 } = counts.get(own) ?? {};
    const sample = samples.get(own) ?? null;
    const zeroOne = rowStatistics?.samples.get(seriesKey(sum))?.zeroOne === true;
    return { trials: all, known, passed, sample: sample === null ? null : { ...sample, zeroOne } };
  };
}

function sliceKey(one: {
  readonly evaluationKey: number;
  readonly pathKey: number;
  readonly slice: number;
}): string {
  return `${seriesKey(one)}:${one.slice}`;
}

type SliceSample = Omit<NonNullable<SliceCounts["sample"]>, "zeroOne">;

async function readSamples(
  session: Session,
  plan: Plan,
  { scorePaths, rowStatistics }: SummaryPlan,
  scope: ValueScope,
  tables: readonly Sql[],
): Promise<ReadonlyMap<string, SliceSample>> {
  if (scope.places.length === 0) return new Map();
  const keys = new Set(scope.places.map(({ pathKey }) => pathKey));
  const paths = scorePaths.filter(({ key }) => keys.has(key));
  const points = await readPoints(session, plan, scope, paths);
  const pointer = scope.byTrial === true ? null : (rowStatistics?.clusterBy ?? null);
  const clustered = pointer === null ? null : compileSliceClusters(plan, scope, points, tables, pointer);
  const clusters = clustered === null ? null : grouped(await session.all(clustered), sliceKey);
  const moments = await session.all(compileSliceMoments(plan, scope, points, tables));
  return new Map(
    moments.map((one): [string, SliceSample] => {
      const shift = shiftAt(points, one.evaluationKey, one.pathKey);
      const { n, sum, squares, most } = one;
      const own =
        clusters === null ? {} : { clusters: { shift, clusters: clusters.get(sliceKey(one)) ?? [] } };
      return [sliceKey(one), { moments: { n, sum, squares, unit: 1n, shift }, single: most <= 1, ...own }];
    }),
  );
}
