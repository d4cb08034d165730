import type { ClickHouse } from "../client.ts";
import { TABLE_NAMES } from "../insert/tables.ts";
import { IS_VISIBLE, visibleValues, type Commits } from "../visible.ts";
import { deleteLoads, deleteWhere } from "./delete-loads.ts";

/** What is closed: what was committed before a time (microseconds since 1970). */
interface Closing {
  readonly client: ClickHouse;
  readonly commits: Commits;
  readonly before: bigint;
}

/** The tables that have versions of trials. */
const VERSIONED = ["trials", "trial_texts", "scores", "null_scores", "errored_trials"] as const;

const IS_OPEN = `state = 'open' AND load > (SELECT max(load) FROM loads WHERE state = 'settled')
  AND load NOT IN (SELECT arrayJoin(loads) FROM loads WHERE state IN ('visible', 'dead'))`;
const BEFORE = "fromUnixTimestamp64Micro({before: Int64})";
const LOADS_BEFORE = `SELECT arrayJoin(loads) AS one FROM loads WHERE state = 'visible' AND at < ${BEFORE}`;
const IS_OLD = `(load <= {upTo: UInt64} OR load IN (${LOADS_BEFORE}))`;
/** What the list is closed over now. */
const IS_CLOSING = `load > {upTo: UInt64} AND load IN (${LOADS_BEFORE})`;

/**
 * Deletes the versions that ended more than `seconds` ago, and closes the list of visible loads up to then. Returns how many records it
 * deleted.
 */
export async function closeList(client: ClickHouse, commits: Commits, seconds: number): Promise<number> {
  // As long before any load began that is still open.
  const [found] = await client.rows(
    `SELECT toUnixTimestamp64Micro(least(now64(6), min(at)) - toIntervalSecond({seconds: UInt32}))
    FROM (SELECT now64(6) AS at UNION ALL SELECT at FROM loads WHERE ${IS_OPEN})`,
    { seconds },
  );
  const closing = { client, commits, before: BigInt(String(found?.[0])) };
  const ended = (await deleteEnded(closing)) + (await deleteReplaced(closing));
  await settleUpTo(closing);
  await forgetSettled(closing);
  return ended;
}

/** Deletes versions that ended so long ago that nobody reads them; what ended them goes last. */
async function deleteEnded({ client, commits, before }: Closing): Promise<number> {
  const values = { upTo: commits.upTo, before };
  const [gone] = await client.rows(`SELECT count() FROM gone WHERE ${IS_OLD}`, values);
  if (Number(gone?.[0]) === 0) return 0;
  let count = 0;
  for (const table of VERSIONED)
    count += await deleteWhere(
      client,
      table,
      `(evaluation_key, trial_key, load) IN (SELECT evaluation_key, trial_key, born FROM gone WHERE ${IS_OLD})`,
      values,
    );
  await deleteWhere(client, "gone", IS_OLD, values);
  return count;
}

/** Deletes merged calls that others replaced so long ago that nobody reads them: only those that the list is closed over have replaced any. */
async function deleteReplaced({ client, commits, before }: Closing): Promise<number> {
  const among = `(project_key, call_key) IN (SELECT project_key, call_key FROM merged_calls WHERE ${IS_CLOSING})`;
  const latest = `SELECT project_key, call_key, (max((load, position)) AS last).1, last.2 FROM merged_calls
    WHERE ${IS_OLD} AND ${among} GROUP BY project_key, call_key`;
  return deleteWhere(
    client,
    "merged_calls",
    `${IS_OLD} AND ${among} AND (project_key, call_key, load, position) NOT IN (${latest})`,
    { upTo: commits.upTo, before },
  );
}

/**
 * Moves the end of the closed part of the list to before the first load that is open or was committed later. What is dead up to there
 * has left nothing: what a writer sent late is deleted first.
 */
async function settleUpTo({ client, commits, before }: Closing): Promise<void> {
  const [found] = await client.rows(
    `WITH (SELECT ifNull(minOrNull(one), toUInt64(18446744073709551615)) FROM (SELECT load AS one FROM loads WHERE ${IS_OPEN}
      UNION ALL SELECT arrayJoin(loads) AS one FROM loads WHERE state = 'visible' AND at >= ${BEFORE})) AS bound
    SELECT maxOrNull(one) FROM (${LOADS_BEFORE}) WHERE one > {upTo: UInt64} AND one < bound`,
    { upTo: commits.upTo, before },
  );
  if (typeof found?.[0] !== "string") return;
  const settled = BigInt(found[0]);
  await deleteStray(client, commits, settled);
  await client.run(
    "INSERT INTO loads (load, state, commit) SELECT {settled: UInt64}, 'settled', {number: UInt64}",
    { settled, number: commits.number },
  );
}

/** Deletes records up to `settled` of loads that are not visible. */
async function deleteStray(client: ClickHouse, commits: Commits, settled: bigint): Promise<void> {
  const stray = new Set<bigint>();
  for (const table of TABLE_NAMES) {
    const found = await client.rows(
      `SELECT DISTINCT load FROM ${table} WHERE load <= {settled: UInt64} AND load > {upTo: UInt64} AND NOT ${IS_VISIBLE}`,
      { settled, ...visibleValues(commits) },
    );
    for (const [load] of found) stray.add(BigInt(String(load)));
  }
  if (stray.size > 0) await deleteLoads(client, [...stray]);
}

/** Deletes what the list says of loads that were closed so long ago that no reader at work saw them open. */
async function forgetSettled({ client, before }: Closing): Promise<void> {
  const closed = `(SELECT max(load) FROM loads WHERE state = 'settled' AND at < ${BEFORE})`;
  const [found] = await client.rows(`SELECT ${closed}`, { before });
  await deleteWhere(
    client,
    "loads",
    `load <= {closed: UInt64} AND arrayAll(one -> one <= {closed: UInt64}, loads) AND (state != 'settled' OR load < {closed: UInt64})`,
    { closed: BigInt(String(found?.[0])) },
  );
}
