/** All values of one dimension in one evaluation. */
export interface SeriesPlace {
  readonly evaluationKey: number;
  readonly pathKey: number;
}

/** The key of a series in a map. */
export function seriesKey({ evaluationKey, pathKey }: SeriesPlace): string {
  return `${evaluationKey}:${pathKey}`;
}
