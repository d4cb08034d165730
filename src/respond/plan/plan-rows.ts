import { countOf } from "../../model/messages.ts";
import type { PlanTerms } from "../../request/plan-request.ts";
import { correlation } from "../../stats/agreement/correlation.ts";
import { clusteredStandardError, type ClusterId } from "../../stats/estimates/clusters.ts";
import { average, sampleCovariance, standardError } from "../../stats/estimates/mean.ts";
import { varianceComponents } from "../../stats/estimates/variance-components.ts";
import { plannedRows, roomOf, type PlannedSpread } from "../../stats/tests/planned-power.ts";

/** How many rows find a difference. A quantity that does not exist is null. */
export interface PlanAnswer {
  /** null where only a rate is given. */
  readonly scorer_key: string | null;
  /** Members below the scorer, joined by dots; null where the score itself is the value. */
  readonly path: string | null;
  /** Whether all values are 0 or 1, true or false: differences are then shares. */
  readonly rate: boolean;
  /** The difference to find, in the unit of the score. */
  readonly detect: number;
  /** How often it is to be found. */
  readonly power: number;
  /** The two-sided level of each comparison: 1 − confidence, over the candidates. */
  readonly level: number;
  /** What the figures come from; no evaluation where only a rate is given. */
  readonly from: {
    readonly evaluation_call_ids: readonly string[];
    /** Rows with a value, of a pair in both. */
    readonly row_count: number;
    /** Mean number of trials with a value. */
    readonly trials_per_row: number;
  };
  /** Of the evaluation or the baseline, or the rate. */
  readonly mean: number;
  /** Variance of the true means of rows; of a pair of their true differences. */
  readonly between: number;
  /** Variance of a trial about the true mean of its row, in either run. */
  readonly within: number;
  /** Of two trials of one row; of a pair that of its row means. */
  readonly correlation: number | null;
  /** By number of trials. */
  readonly plans: readonly RowPlan[];
  /** The number of trials of the plan with least calls, and so of least cost, since calls of one score cost alike. */
  readonly cheaper: number | null;
  /** What was assumed, and what no number of rows can show. */
  readonly notes: readonly string[];
}

/** Rows that are needed with some number of trials. */
export interface RowPlan {
  /** Of each row, in each run. */
  readonly trials: number;
  /** null where no number of rows finds the difference. */
  readonly rows: number | null;
  /** Rows × trials × (candidates + 1). */
  readonly calls: number | null;
  /** The power that the model gives for `rows`. */
  readonly found: number | null;
}

/** The trials of a row in one evaluation, or in both of a pair. */
export interface PlanningRow {
  readonly sides: readonly (readonly number[])[];
  /** null where rows are independent. */
  readonly cluster: ClusterId | null;
}

/** What rows say of those that are planned. */
export type Learned = Pick<PlanAnswer, "mean" | "between" | "within" | "correlation" | "notes"> & {
  readonly spread: PlannedSpread;
  readonly trialsPerRow: number;
};

/** What a rate alone says: rows of two runs are independent. */
export function learnFromRate(rate: number): Learned {
  const within = rate * (1 - rate);
  const spread = { between: 0, within, rate: { mean: rate, rows: 0 }, clusters: null };
  return { mean: rate, between: 0, within, correlation: 0, notes: [], spread, trialsPerRow: 0 };
}

const MOST =
  "from one trial a row nothing tells rows from trials: all variance counts as that of trials, which is the most it can be";

/** What the rows of one evaluation say, or those of a pair; `isRate` where all values are 0 or 1. */
export function learnFromRows(rows: readonly PlanningRow[], isRate: boolean): Learned {
  const [first = [], second] = [0, 1].map((side) => rows.map(({ sides }) => sides[side] ?? []));
  const mean = average(first.map(average));
  const own = componentsOf(first, isRate ? mean : null);
  const notes = own.isMost ? [MOST] : [];
  const trialsPerRow =
    rows.flatMap(({ sides }) => sides).flat().length / rows.flatMap(({ sides }) => sides).length;
  const rate = isRate ? { mean, rows: own.between } : null;
  if (rows[0]?.sides.length !== 2 || second === undefined) {
    const total = own.between + own.within;
    const spread = { between: 0, within: own.within, rate, clusters: null };
    const told = { mean, between: own.between, within: own.within, notes, spread, trialsPerRow };
    return { ...told, correlation: total === 0 ? null : own.between / total };
  }
  const [a, b] = [first.map(average), second.map(average)];
  const other = componentsOf(second, isRate ? average(b) : null);
  const differences = b.map((value, i) => value - (a[i] ?? 0));
  const variance = sampleCovariance(differences, differences);
  const isMost = own.isMost || other.isMost;
  const known = isMost ? 0 : own.within * inverseSize(first) + other.within * inverseSize(second) || 0;
  const between = isMost ? 0 : Math.max(0, variance - known);
  const within = isMost ? variance / 2 : (own.within + other.within) / 2;
  return {
    mean,
    between,
    within,
    correlation: correlation(sampleCovariance(a, b), sampleCovariance(a, a), sampleCovariance(b, b)),
    notes: isMost ? [MOST] : [],
    spread: { between, within, rate, clusters: null },
    trialsPerRow,
  };
}

function inverseSize(rows: readonly (readonly number[])[]): number {
  return average(rows.map((trials) => 1 / trials.length));
}

/** Variances of rows and of trials; of one trial a row all of it is that of trials. */
function componentsOf(rows: readonly (readonly number[])[], rate: number | null) {
  const { between, within } = varianceComponents(rows);
  if (between !== null && within !== null) return { between, within, isMost: false };
  const values = rows.map(average);
  const most = rate === null ? sampleCovariance(values, values) : rate * (1 - rate);
  return { between: 0, within: most, isMost: true };
}

/** Rows of a cluster and what they do to the variance of a mean difference; of one evaluation nothing tells that. */
export function clustersOf(rows: readonly PlanningRow[], field: string) {
  const ids = rows.map(({ cluster }, i) => cluster ?? `row ${i}`);
  const count = new Set(ids).size;
  const size = rows.length / count;
  const isPair = rows[0]?.sides.length === 2;
  const differences = rows.map(({ sides: [a = [], b = []] }) => (isPair ? average(b) - average(a) : 0));
  const [apart, plain] = [clusteredStandardError(differences, ids), standardError(differences)];
  const effect = apart === null || plain === null || plain === 0 ? 1 : (apart / plain) ** 2;
  return {
    clusters: { size, effect },
    notes: [
      ...(count < LEAST_CLUSTERS
        ? [
            `${field} has ${countOf(count, "value")}: no number of rows of these shows a difference, it takes ${LEAST_CLUSTERS}`,
          ]
        : [
            `fewer than ${LEAST_CLUSTERS} values of ${field} show no difference, whatever the number of rows`,
          ]),
      ...(isPair
        ? []
        : [`one evaluation does not tell how differences go together within ${field}; a pair does`]),
    ],
  };
}

/** Four degrees of freedom take one more. */
const LEAST_CLUSTERS = 5;

/** The rows that each number of trials takes. */
export function plansOf(
  spread: PlannedSpread,
  terms: PlanTerms,
): Pick<PlanAnswer, "plans" | "cheaper" | "notes"> {
  const { detect, trials: each, candidates, power, level } = terms;
  const plans = each.map((trials): RowPlan => {
    const { rows, found } = plannedRows(spread, { delta: detect, trials, alpha: level, power });
    return { trials, rows, calls: rows === null ? null : rows * trials * (candidates + 1), found };
  });
  const known = plans.flatMap(({ trials, calls }) => (calls === null ? [] : [{ trials, calls }]));
  const [least] = known.toSorted((a, b) => a.calls - b.calls || a.trials - b.trials);
  const isTooMuch = spread.rate !== null && detect > roomOf(spread.rate.mean);
  const most = isTooMuch
    ? ["no rate differs so much from the one that there is: no number of rows shows it"]
    : [];
  return { plans, cheaper: least?.trials ?? null, notes: most };
}
