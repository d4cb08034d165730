import type { ValuePlace, ValueScope } from "../../compile/statistics/row-values.ts";
import type { Session } from "../../store/session.ts";
import type { Plan, ScorePath } from "../../plan/plan.ts";
import { seriesKey } from "../../model/series-key.ts";
import type { RowSample, ScoreSum } from "../../plan/results.ts";
import { BOOLEAN, NUMBER, TEXT } from "../../model/score-kind.ts";

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

/** The numbers of each series, or true and false where it has none. */
export function numericOf(sums: readonly ScoreSum[]): ScoreSum[] {
  const numeric = new Set(sums.filter(({ kind }) => kind === NUMBER).map(seriesKey));
  return sums.filter((one) => one.kind < TEXT && (one.kind !== BOOLEAN || !numeric.has(seriesKey(one))));
}

/** Whether all numbers of a dimension are -1, 0 or 1. */
export function isUnit({ exponents }: ScorePath): boolean {
  return exponents === null || (exponents.max === 0 && exponents.lowBit === 0);
}

/** The part of a scope that lies in some dimensions. */
export function partOf(scope: ValueScope, pathKeys: ReadonlySet<number>): ValueScope {
  const places = scope.places.filter(({ pathKey }) => pathKeys.has(pathKey));
  return { ...scope, places, wholeKinds: scope.wholeKinds && places.length === scope.places.length };
}
