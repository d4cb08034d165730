/** The percentiles of the rows' values that a summary has, in hundredths. */
export const PERCENTILES = [50, 90, 99] as const;
