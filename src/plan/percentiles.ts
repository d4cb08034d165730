/** The percentiles of row values in a summary, in hundredths. */
export const PERCENTILES = [50, 90, 99] as const;
