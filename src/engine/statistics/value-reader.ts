import type { ValuePlace, ValueScope } from "../../compile/statistics/row-values.ts";
import type { Session } from "../../store/session.ts";
import type { Plan, ScorePath } from "../../plan/plan.ts";
import type { RowSample } from "../../plan/results.ts";

/** Context for reading the rows' values of some evaluations. `repeated`: some of their rows have several trials. */
export interface ValueReader {
  readonly session: Session;
  readonly plan: Plan;
  readonly paths: readonly ScorePath[];
  readonly scope: (places: readonly ValuePlace[], wholeKinds: boolean) => ValueScope;
  readonly repeated: boolean;
}

/** Samples with the series that they belong to, as `seriesKey` names it. */
export type Samples = readonly (readonly [place: string, RowSample])[];

/** Whether all numbers of a dimension are -1, 0 or 1. */
export function isUnit({ exponents }: ScorePath): boolean {
  return exponents === null || (exponents.max === 0 && exponents.lowBit === 0);
}
