import type { ClickHouse } from "../server/client.ts";
import { integerOf } from "../server/integer-of.ts";
import { IS_VISIBLE, visibleValues, type Visible } from "../lookup/visible.ts";
import type { Outbox } from "../insert/outbox.ts";

/** A trial and the evaluations that it is or was in. */
export interface TrialName {
  readonly trial: bigint;
  readonly evaluations: readonly bigint[];
}

/** Limits a statement on a table of facts to the versions of trials that have not ended; see the table `gone`. */
const IS_ALIVE = `(evaluation_key, trial_key, load) NOT IN (SELECT evaluation_key, trial_key, born FROM gone
  WHERE project_key = {project: UInt64} AND evaluation_key IN {evaluations: Array(UInt64)} AND ${IS_VISIBLE})`;

const KEYS_AT_ONCE = 5000;

/** Ends the visible versions of trials with the load of `outbox`. */
export async function endVersions(
  client: ClickHouse,
  visible: Visible,
  outbox: Outbox,
  project: bigint,
  names: readonly TrialName[],
): Promise<void> {
  for (let at = 0; at < names.length; at += KEYS_AT_ONCE) {
    const some = names.slice(at, at + KEYS_AT_ONCE);
    const found = await client.rows(
      `SELECT evaluation_key, trial_key, load, row_key FROM trials WHERE project_key = {project: UInt64}
        AND evaluation_key IN {evaluations: Array(UInt64)} AND trial_key IN {trials: Array(UInt64)}
        AND ${IS_VISIBLE} AND ${IS_ALIVE}`,
      {
        project,
        evaluations: [...new Set(some.flatMap(({ evaluations }) => evaluations))],
        trials: some.map(({ trial }) => trial),
        ...visibleValues(visible),
      },
    );
    const column = (i: number) => found.map((one) => integerOf(one[i]));
    outbox.add("gone", found.length, {
      project_key: found.map(() => project),
      evaluation_key: column(0),
      trial_key: column(1),
      born: column(2),
      row_key: column(3),
    });
  }
}
