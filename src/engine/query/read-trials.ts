import { compileTrials, compileTrialVersions, compileVersionKeys } from "../../compile/rows/page-trials.ts";
import type { Key } from "../../model/digest.ts";
import type { Plan } from "../../plan/plan.ts";
import type { TrialRecord } from "../../plan/results.ts";
import type { Session } from "../../store/session.ts";

/** More are read by a scan: DuckDB plans 10 µs a key, and looks up at most 2,048. Pages of 200 rows in 10 evaluations took 51 to 78 in
 * place of 73 to 87 ms with it, a million trials. */
const MOST_KEYS = 2000;

/** The trials of rows in the evaluations of the plan, by an index where that is faster. */
export async function readTrialsOf(
  session: Session,
  plan: Plan,
  rowKeys: readonly Key[],
): Promise<readonly TrialRecord[]> {
  return (await lookUp(session, plan, rowKeys)) ?? session.all(compileTrials(plan, rowKeys));
}

/** Null where an index is slower, or does not find all. */
async function lookUp(
  session: Session,
  plan: Plan,
  rowKeys: readonly Key[],
): Promise<readonly TrialRecord[] | null> {
  if (!plan.manyTrials || rowKeys.length * plan.evaluationKeys.length > MOST_KEYS) return null;
  const keys = (await session.all(compileVersionKeys(plan, rowKeys))).map(({ key }) => key);
  if (keys.length === 0) return [];
  if (keys.length > MOST_KEYS) return null;
  const found = await session.all(compileTrialVersions(plan, keys));
  return found.length === keys.length ? found : null;
}
