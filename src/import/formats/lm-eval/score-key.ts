/** A figure of the results file: `acc_stderr,none`. */
export const FIGURE = /^(.+?)(_stderr)?,(.+)$/s;

/** The key of a score: the name in the results file, without the filter `none`. */
export function scoreKey(metric: string, filter: string): string {
  return filter === "none" ? metric : `${metric},${filter}`;
}
