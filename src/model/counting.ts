/** Why a trial has no value, where a request may let it count as one: it is in error, or it is not and has null. */
export const LACKING = ["error", "null"] as const;
export type Lacking = (typeof LACKING)[number];

/** How it is asked for and told. */
export const COUNTINGS = {
  error: {
    member: "count_errors_as",
    told: "counted_error_count",
    outcome: "error_count",
    says: "errors count as",
    who: "errors",
  },
  null: {
    member: "count_nulls_as",
    told: "counted_null_count",
    outcome: "null_count",
    says: "no verdict counts as",
    who: "trials without a verdict",
  },
} as const satisfies Readonly<Record<Lacking, object>>;

type Names = (typeof COUNTINGS)[Lacking];
export type CountingMember = Names["member"];

/** How many trials without a value count as one, among `trial_count`; only of what a request lets count. */
export interface CountedTrials {
  /** Trials in error, among `error_count`; with `count_errors_as`. */
  readonly counted_error_count?: number | undefined;
  /** Trials without a verdict, among `null_count`; with `count_nulls_as`. */
  readonly counted_null_count?: number | undefined;
}

export function addCounted(all: readonly (CountedTrials | undefined)[]): CountedTrials {
  const sums = LACKING.flatMap((of) => {
    const { told } = COUNTINGS[of];
    const counts = all.flatMap((one) => one?.[told] ?? []);
    return counts.length === 0 ? [] : [[told, counts.reduce((sum, one) => sum + one, 0)] as const];
  });
  return Object.fromEntries(sums);
}

/** All of them together. */
export function countedIn(trials: CountedTrials): number {
  return LACKING.reduce((sum, of) => sum + (trials[COUNTINGS[of].told] ?? 0), 0);
}
