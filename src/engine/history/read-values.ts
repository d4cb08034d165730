import { compileRowClusters } from "../../compile/statistics/clusters.ts";
import { compileTrialValues } from "../../compile/statistics/trial-values.ts";
import { narrowing } from "../../compile/rows/selected-rows.ts";
import type { Plan, ScorePath } from "../../plan/plan.ts";
import { grouped } from "../../model/grouped.ts";
import { average } from "../../stats/estimates/mean.ts";
import type { RunValues } from "../../stats/tests/loss-span.ts";
import type { Key } from "../../model/digest.ts";
import type { Session } from "../../store/session.ts";

/** The value of each row in one score: the mean of its trials. */
type RowValues = ReadonlyMap<Key, number>;

/** The values of runs in one score. */
export interface ValueReader {
  /** On the rows that all of these runs have; with `cluster_by`, by cluster. */
  readonly common: (evaluationKeys: readonly number[]) => Promise<RunValues>;
}

interface ReadingOfValues {
  /** That of the values, by key of the evaluation. */
  readonly kinds: ReadonlyMap<number, number>;
  /** A pointer into inputs. */
  readonly clusterBy: string | null;
}

/** Reads each run once. */
export function valueReader(
  session: Session,
  plan: Plan,
  { key: pathKey }: ScorePath,
  { kinds, clusterBy }: ReadingOfValues,
): ValueReader {
  const known = new Map<number, RowValues>();
  let clusters: ReadonlyMap<Key, Key | string> | null = null;
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
      const own = runs.map((values) => Float64Array.from(rows, (row) => values.get(row) ?? 0));
      if (clusterBy === null) return own;
      clusters ??= new Map(
        (await session.all(compileRowClusters(plan, clusterBy))).map(({ row, cluster }) => [
          row,
          cluster ?? row,
        ]),
      );
      return byCluster(
        own,
        rows.map((row) => clusters?.get(row) ?? row),
      );
    },
  };
}

/**
 * Values of clusters that have the mean of their rows, and whose variance is that of a mean over clusters of any size:
 * the mean, and the cluster's share of what the rows differ from it.
 */
function byCluster(runs: RunValues, clusters: readonly (Key | string)[]): RunValues {
  const groups = [...grouped(clusters.keys(), (i) => clusters[i] ?? "").values()];
  return runs.map((values) => {
    const mean = average([...values]);
    return Float64Array.from(groups, (rows) => {
      const apart = rows.reduce((sum, i) => sum + (values[i] ?? 0) - mean, 0);
      return mean + (groups.length / values.length) * apart;
    });
  });
}
