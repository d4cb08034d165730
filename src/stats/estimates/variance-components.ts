import { checkFinite, checkRows } from "../numeric/arguments.ts";
import { sum } from "../numeric/sum.ts";
import { average } from "./mean.ts";

export interface VarianceComponents {
  /** Variance of the rows' true means, never below 0. */
  readonly between: number | null;
  /** Variance of trials around their row's mean. */
  readonly within: number | null;
  /**
   * ICC(1): the share of a single trial's variance that lies between rows; negative where rows differ less than by
   * chance.
   */
  readonly icc: number | null;
}

/**
 * One-way random-effects analysis of variance; each row is the list of its trials' scores. With mean squares MSB and
 * MSW: between = max(0, (MSB − MSW)/K), within = MSW, icc = (MSB − MSW)/(MSB + (K − 1) MSW); for rows of unequal size
 * K is K0 = (N − Σk²/N)/(n − 1). Rows without trials are ignored. All three are null for fewer than two rows or where
 * no row has two trials; icc is null where every score is equal.
 */
export function varianceComponents(rowsOfTrials: readonly (readonly number[])[]): VarianceComponents {
  checkRows("the rows of trials", rowsOfTrials);
  const rows = rowsOfTrials.filter((trials) => trials.length > 0);
  const trials = rows.flat();
  checkFinite("the trials of every row", trials);
  const rowCount = rows.length;
  const total = trials.length;
  if (rowCount < 2 || total === rowCount) return { between: null, within: null, icc: null };
  const grand = average(trials);
  const means = rows.map((row) => ({ row, centre: average(row) }));
  const msb = sum(means.map(({ row, centre }) => row.length * (centre - grand) ** 2)) / (rowCount - 1);
  const around = means.map(({ row, centre }) => sum(row.map((value) => (value - centre) ** 2)));
  const msw = sum(around) / (total - rowCount);
  const k = (total - sum(rows.map((row) => row.length ** 2)) / total) / (rowCount - 1);
  const spread = msb + (k - 1) * msw;
  return {
    between: Math.max(0, (msb - msw) / k),
    within: msw,
    icc: spread === 0 ? null : (msb - msw) / spread,
  };
}
