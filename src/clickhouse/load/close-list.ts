import { integerOf } from "../server/integer-of.ts";
import { TABLE_NAMES } from "../insert/tables.ts";
import type { Servers } from "../server/shards.ts";
import { IS_VISIBLE, visibleValues, type Commits } from "../lookup/visible.ts";
import { deleteLoads, deleteWhere } from "./delete-loads.ts";

/** What is closed: what was committed before a time (microseconds since 1970). */
interface Closing extends Servers {
  readonly commits: Commits;
  readonly before: bigint;
  /** The loads that were committed before it, as a subquery, or as a list for shards, where `loads` is not. */
  readonly loads: string;
}

/** The tables that have versions of trials. */
const VERSIONED = ["trials", "trial_texts", "scores", "null_scores", "errored_trials"] as const;

const IS_OPEN = `state = 'open' AND load > (SELECT max(load) FROM loads WHERE state = 'settled')
  AND load NOT IN (SELECT arrayJoin(loads) FROM loads WHERE state IN ('visible', 'dead'))`;
const BEFORE = "fromUnixTimestamp64Micro({before: Int64})";
const LOADS_BEFORE = `SELECT arrayJoin(loads) AS one FROM loads WHERE state = 'visible' AND at < ${BEFORE}`;

function oldOf({ loads }: Closing): string {
  return `(load <= {upTo: UInt64} OR load IN (${loads}))`;
}

/**
 * Closes the list of visible loads up to `seconds` ago and, but where there are replicas, deletes the versions that
 * ended before. Returns how many records it deleted.
 */
export async function closeList(
  servers: Servers & { readonly isReplicated: boolean },
  commits: Commits,
  seconds: number,
): Promise<number> {
  // As long before any load began that is still open.
  const [found] = await servers.client.rows(
    `SELECT toUnixTimestamp64Micro(least(now64(6), min(at)) - toIntervalSecond({seconds: UInt32}))
    FROM (SELECT now64(6) AS at UNION ALL SELECT at FROM loads WHERE ${IS_OPEN})`,
    { seconds },
  );
  const before = integerOf(found?.[0]);
  const closing = { ...servers, commits, before, loads: await closedLoads(servers, commits, before) };
  // Each replica would look by itself what has ended; one that is behind would keep it, and hand that on.
  const ended = servers.isReplicated ? 0 : (await deleteEnded(closing)) + (await deleteReplaced(closing));
  await settleUpTo(closing);
  await forgetSettled(closing);
  return ended;
}

async function closedLoads({ client, shards }: Servers, { upTo }: Commits, before: bigint): Promise<string> {
  if (shards.includes(client)) return LOADS_BEFORE;
  const found = await client.rows(`SELECT DISTINCT one FROM (${LOADS_BEFORE}) WHERE one > {upTo: UInt64}`, {
    upTo,
    before,
  });
  // No load is 0.
  return ["0", ...found.map(([load]) => String(load))].join();
}

/** Deletes versions that ended so long ago that nobody reads them; what ended them goes last. */
async function deleteEnded(closing: Closing): Promise<number> {
  const { client, commits, before } = closing;
  const [isOld, values] = [oldOf(closing), { upTo: commits.upTo, before }];
  const [gone] = await client.rows(`SELECT count() FROM gone WHERE ${isOld}`, values);
  if (Number(gone?.[0]) === 0) return 0;
  let count = 0;
  for (const table of VERSIONED)
    count += await deleteWhere(
      closing,
      table,
      `(evaluation_key, trial_key, load) IN (SELECT evaluation_key, trial_key, born FROM gone WHERE ${isOld})`,
      values,
    );
  await deleteWhere(closing, "gone", isOld, values);
  return count;
}

/**
 * Deletes merged calls that others replaced so long ago that nobody reads them: only those that the list is closed over
 * have replaced any.
 */
async function deleteReplaced(closing: Closing): Promise<number> {
  const { commits, before, loads } = closing;
  const isOld = oldOf(closing);
  const among = `(project_key, call_key) IN
    (SELECT project_key, call_key FROM merged_calls WHERE load > {upTo: UInt64} AND load IN (${loads}))`;
  const latest = `SELECT project_key, call_key, (max((load, position)) AS last).1, last.2 FROM merged_calls
    WHERE ${isOld} AND ${among} GROUP BY project_key, call_key`;
  return deleteWhere(
    closing,
    "merged_calls",
    `${isOld} AND ${among} AND (project_key, call_key, load, position) NOT IN (${latest})`,
    { upTo: commits.upTo, before },
  );
}

/**
 * Moves the end of the closed part of the list to before the first load that is open or was committed later. What is
 * dead up to there has left nothing: what a writer sent late is deleted first.
 */
async function settleUpTo(closing: Closing): Promise<void> {
  const { client, commits, before } = closing;
  const [found] = await client.rows(
    `WITH (SELECT ifNull(minOrNull(one), toUInt64(18446744073709551615)) FROM (SELECT load AS one FROM loads WHERE ${IS_OPEN}
      UNION ALL SELECT arrayJoin(loads) AS one FROM loads WHERE state = 'visible' AND at >= ${BEFORE})) AS bound
    SELECT maxOrNull(one) FROM (${LOADS_BEFORE}) WHERE one > {upTo: UInt64} AND one < bound`,
    { upTo: commits.upTo, before },
  );
  if (typeof found?.[0] !== "string") return;
  const settled = BigInt(found[0]);
  await deleteStray(closing, settled);
  await client.run(
    "INSERT INTO loads (load, state, commit) SELECT {settled: UInt64}, 'settled', {number: UInt64}",
    { settled, number: commits.number },
  );
}

/** Deletes records up to `settled` of loads that are not visible. */
async function deleteStray(closing: Closing, settled: bigint): Promise<void> {
  const { client, commits } = closing;
  const stray = new Set<bigint>();
  for (const table of TABLE_NAMES) {
    const found = await client.rows(
      `SELECT DISTINCT load FROM ${table} WHERE load <= {settled: UInt64} AND load > {upTo: UInt64} AND NOT ${IS_VISIBLE}`,
      { settled, ...visibleValues(commits) },
    );
    for (const [load] of found) stray.add(integerOf(load));
  }
  if (stray.size > 0) await deleteLoads(closing, [...stray]);
}

/** Deletes what the list says of loads that were closed so long ago that no reader at work saw them open. */
async function forgetSettled(closing: Closing): Promise<void> {
  const { client, before } = closing;
  const closed = `(SELECT max(load) FROM loads WHERE state = 'settled' AND at < ${BEFORE})`;
  const [found] = await client.rows(`SELECT ${closed}`, { before });
  await deleteWhere(
    closing,
    "loads",
    `load <= {closed: UInt64} AND arrayAll(one -> one <= {closed: UInt64}, loads) AND (state != 'settled' OR load < {closed: UInt64})`,
    { closed: integerOf(found?.[0]) },
  );
}
