/** The order in which the calls of one evaluation are written. */
export type CallOrder = "children-first" | "parents-first";

/** Everything that decides the bytes of a generated data set. */
export interface DataParameters {
  readonly seed: number;
  readonly evaluations: number;
  /** Dataset rows that each evaluation covers. */
  readonly rows: number;
  /** Trials of each evaluation on each of its rows. */
  readonly trials: number;
  readonly order: CallOrder;
}

export const projectId = "bench/qa";

const tenEvaluations = { seed: 20260105, evaluations: 10, trials: 1, order: "children-first" } as const;

/** Named by the number of trials; `small` is what answers are proven on. Each trial is four calls of about 800 bytes. */
export const sizes = {
  small: { ...tenEvaluations, evaluations: 4, rows: 300, trials: 2 },
  "100k": { ...tenEvaluations, rows: 10_000 },
  "200k": { ...tenEvaluations, rows: 20_000 },
  "1m": { ...tenEvaluations, rows: 100_000 },
  "4m": { ...tenEvaluations, rows: 400_000 },
  "16m": { ...tenEvaluations, rows: 1_600_000 },
} satisfies Record<string, DataParameters>;

export type SizeName = keyof typeof sizes;

export function isSizeName(text: string): text is SizeName {
  return Object.hasOwn(sizes, text);
}

/** Whether the calls are written compressed: beyond some trials, plain files and a database of them are more than many disks have free. */
export function isCompressed(parameters: DataParameters): boolean {
  return countTrials(parameters) > 8_000_000;
}

export function countTrials(parameters: DataParameters): number {
  return parameters.evaluations * parameters.rows * parameters.trials;
}

/** Evaluation e covers rows [e * shift, e * shift + rows): 91% of the rows of ten are common to all. */
export function rowShift(parameters: DataParameters): number {
  return Math.floor(parameters.rows / 100);
}

export function countDatasetRows(parameters: DataParameters): number {
  return parameters.rows + (parameters.evaluations - 1) * rowShift(parameters);
}

/** A folder name that changes whenever the bytes would. */
export function describeParameters(parameters: DataParameters): string {
  const { seed, evaluations, rows, trials, order } = parameters;
  return `v1-seed${seed}-${evaluations}x${rows}x${trials}-${order}`;
}
