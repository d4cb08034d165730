import { compileTrialValues } from "../../compile/statistics/trial-values.ts";
import { narrowing } from "../../compile/rows/selected-rows.ts";
import type { Plan, ScorePath } from "../../plan/plan.ts";
import { average } from "../../stats/estimates/mean.ts";
import type { RunValues } from "../../stats/tests/loss-span.ts";
import type { Key } from "../../model/digest.ts";
import type { Session } from "../../store/session.ts";

/** The value of each row in one score: the mean of its trials. */
type RowValues = ReadonlyMap<Key, number>;

/** The values of runs in one score. */
export interface ValueReader {
  /** On the rows that all of these runs have. */
  readonly common: (evaluationKeys: readonly number[]) => Promise<RunValues>;
}

/** Reads each run once. `kinds`: that of the values, by key of the evaluation. */
export function valueReader(
  session: Session,
  plan: Plan,
  { key: pathKey }: ScorePath,
  kinds: ReadonlyMap<number, number>,
): ValueReader {
  const known = new Map<number, RowValues>();
  const narrowed = narrowing(plan, false);
  const read = async (evaluationKey: number): Promise<RowValues> => {
    const places = [{ evaluationKey, pathKey, kind: kinds.get(evaluationKey) ?? 0 }];
    const scope = { places, wholeKinds: false, trialsPerRow: 1, narrowing: narrowed };
    const trials = new Map<Key, number[]>();
    for (const { row, number } of await session.all(compileTrialValues(plan, scope)))
      trials.set(row, [...(trials.get(row) ?? []), number]);
    return new Map([...trials].map(([row, numbers]) => [row, average(numbers)]));
  };
  return {
    async common(evaluationKeys) {
      for (const key of evaluationKeys) if (!known.has(key)) known.set(key, await read(key));
      const runs = evaluationKeys.flatMap((key) => known.get(key) ?? []);
      const [first = new Map<Key, number>(), ...others] = runs;
      const rows = [...first.keys()].filter((row) => others.every((one) => one.has(row)));
      return runs.map((values) => Float64Array.from(rows, (row) => values.get(row) ?? 0));
    },
  };
}
