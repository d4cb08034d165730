import type { ClickHouse } from "../client.ts";
import { IS_VISIBLE, readCommits, visibleValues, type Commits } from "../visible.ts";
import { TABLE_NAMES } from "../insert/tables.ts";
import { SILENT_MS } from "./open-load.ts";
import { noteCommit, takeCommit } from "./take-commit.ts";

/** What maintaining a database did. */
interface Maintained {
  /** Loads that were given up, since their writers had gone. */
  readonly givenUp: number;
  /** Loads of which nothing is stored any more. */
  readonly purged: number;
  /** Records of versions that had ended, and that are deleted. */
  readonly ended: number;
}

/** A reader may be at work on what it saw when it began for as long as this. */
const GRACE_SECONDS = 3600;
/** So many commits stay with the coordinator; see {@link noteAll}. */
const KEPT_COMMITS = 100n;
/** The tables that have versions of trials. */
const VERSIONED = ["trials", "trial_texts", "scores", "null_scores", "errored_trials"] as const;
/** The deletion of a load is done when the promise resolves. */
const DELETION = { lightweight_deletes_sync: "2" } as const;

interface Maintenance {
  readonly client: ClickHouse;
  readonly hasCoordinator: boolean;
  /** Seconds after which what has ended may go. */
  readonly graceSeconds?: number;
  /** Milliseconds without a sign of life after which a writer is gone. */
  readonly silentMs?: number;
}

/**
 * Gives up loads whose writers have gone, deletes what is in no answer any more, and closes the list of visible loads up to an hour ago.
 * Several processes may do it at the same time.
 */
export async function maintain(maintenance: Maintenance): Promise<Maintained> {
  const { client, hasCoordinator } = maintenance;
  if (hasCoordinator) await noteAll(client, (await readCommits(client, hasCoordinator)).upTo);
  const givenUp = await giveUpSilent(maintenance);
  const commits = await readCommits(client, hasCoordinator);
  const purged = await purgeDead(client, commits);
  const ended = await deleteEnded(maintenance, commits);
  await settleUpTo(maintenance, commits);
  return { givenUp, purged, ended };
}

/**
 * Notes commits that only the coordinator has, and takes all but the last from it. A writer that has slept since it read the number
 * before could else take one that was taken: by then its load is dead, which counts whatever it commits.
 */
async function noteAll(client: ClickHouse, upTo: bigint): Promise<void> {
  const taken = await client.rows("SELECT number, loads, dead FROM commits ORDER BY number");
  const noted = new Set(
    (await client.rows("SELECT DISTINCT commit FROM loads WHERE commit > 0")).map(([number]) =>
      String(number),
    ),
  );
  for (const [number, loads, dead] of taken) {
    const isClosed = [...bigs(loads), ...bigs(dead)].every((load) => load <= upTo);
    if (isClosed || noted.has(String(number))) continue;
    await noteCommit(client, { number: big(number), loads: bigs(loads), dead: bigs(dead) });
  }
  const last = big(taken.at(-1)?.[0] ?? 0);
  const old = taken.flatMap(([number]) => (big(number) + KEPT_COMMITS < last ? [big(number)] : []));
  if (old.length > 0)
    await client.run("ALTER TABLE commits DELETE WHERE number IN {old: Array(UInt64)}", { old });
}

/** Commits that loads never become visible, which their writers learn when they commit. */
async function giveUpSilent({ client, hasCoordinator, silentMs = SILENT_MS }: Maintenance): Promise<number> {
  for (;;) {
    const commits = await readCommits(client, hasCoordinator);
    const open = await client.rows(
      `SELECT load FROM loads WHERE state = 'open' AND load > {upTo: UInt64} GROUP BY load
      HAVING max(at) < now64(6) - toIntervalMillisecond({silentMs: UInt32})`,
      { upTo: commits.upTo, silentMs },
    );
    const visible = new Set(commits.loads);
    const silent = open
      .map(([load]) => big(load))
      .filter((load) => !visible.has(load) && !commits.dead.has(load));
    if (silent.length === 0) return 0;
    const number = commits.number + 1n;
    if (await takeCommit(client, hasCoordinator, { number, loads: [], dead: silent })) return silent.length;
  }
}

async function purgeDead(client: ClickHouse, { dead }: Commits): Promise<number> {
  const purged = new Set(
    (await client.rows("SELECT DISTINCT load FROM loads WHERE state = 'purged'")).map(([load]) => big(load)),
  );
  const left = [...dead].filter((load) => !purged.has(load));
  if (left.length === 0) return 0;
  await deleteLoads(client, left);
  for (const load of left)
    await client.run("INSERT INTO loads (load, state) SELECT {load: UInt64}, 'purged'", { load });
  return left.length;
}

async function deleteLoads(client: ClickHouse, loads: readonly bigint[]): Promise<void> {
  for (const table of TABLE_NAMES) {
    const [found] = await client.rows(`SELECT count() FROM ${table} WHERE load IN {loads: Array(UInt64)}`, {
      loads,
    });
    if (Number(found?.[0]) === 0) continue;
    await client.run(
      `DELETE FROM ${table} WHERE load IN {loads: Array(UInt64)}`,
      { loads },
      { settings: DELETION },
    );
  }
}

/** Deletes versions that ended so long ago that nobody reads them; what ended them goes last. */
async function deleteEnded(
  { client, graceSeconds = GRACE_SECONDS }: Maintenance,
  commits: Commits,
): Promise<number> {
  const old = await loadsBefore(client, commits, graceSeconds);
  const ended = `(evaluation_key, trial_key, load) IN
    (SELECT evaluation_key, trial_key, born FROM gone WHERE load IN {old: Array(UInt64)})`;
  const [gone] = await client.rows("SELECT count() FROM gone WHERE load IN {old: Array(UInt64)}", { old });
  if (Number(gone?.[0]) === 0) return 0;
  let count = 0;
  for (const table of VERSIONED) {
    const [found] = await client.rows(`SELECT count() FROM ${table} WHERE ${ended}`, { old });
    if (Number(found?.[0]) === 0) continue;
    count += Number(found?.[0]);
    await client.run(`DELETE FROM ${table} WHERE ${ended}`, { old }, { settings: DELETION });
  }
  await client.run("DELETE FROM gone WHERE load IN {old: Array(UInt64)}", { old }, { settings: DELETION });
  return count;
}

/** The visible loads that were committed so long ago, and so long before any load began that is still open; in ascending order. */
async function loadsBefore(client: ClickHouse, commits: Commits, seconds: number): Promise<bigint[]> {
  const found = await client.rows(
    `SELECT DISTINCT arrayJoin(loads) AS one FROM loads WHERE state = 'visible' AND at + toIntervalSecond({seconds: UInt32}) <
      (SELECT least(now64(6), min(at)) FROM (SELECT now64(6) AS at UNION ALL SELECT at FROM loads WHERE ${IS_OPEN}))
    ORDER BY one`,
    { seconds },
  );
  return found.map(([load]) => big(load));
}

const IS_OPEN = `state = 'open' AND load > (SELECT max(load) FROM loads WHERE state = 'settled')
  AND load NOT IN (SELECT arrayJoin(loads) FROM loads WHERE state IN ('visible', 'dead'))`;

/**
 * Moves the end of the closed part of the list to before the first load that is open, or that is younger than an hour. What is dead up
 * to there has left nothing: what a writer sent late is deleted first.
 */
async function settleUpTo(
  { client, graceSeconds = GRACE_SECONDS }: Maintenance,
  commits: Commits,
): Promise<void> {
  const old = (await loadsBefore(client, commits, graceSeconds)).filter((load) => load > commits.upTo);
  const isOld = new Set(old);
  const [found] = await client.rows(`SELECT minOrNull(load) FROM loads WHERE ${IS_OPEN}`);
  const firstOpen = typeof found?.[0] === "string" ? [big(found[0])] : [];
  const young = commits.loads.filter((load) => !isOld.has(load));
  const bounds = [...firstOpen, ...young];
  const settled = old.findLast((load) => bounds.every((bound) => load < bound));
  if (settled === undefined) return;
  await deleteStray(client, commits, settled);
  await client.run(
    "INSERT INTO loads (load, state, commit) SELECT {settled: UInt64}, 'settled', {number: UInt64}",
    { settled, number: commits.number },
  );
  await client.run(
    `DELETE FROM loads WHERE load <= {settled: UInt64} AND arrayAll(one -> one <= {settled: UInt64}, loads)
      AND (state != 'settled' OR load < {settled: UInt64})`,
    { settled },
    { settings: DELETION },
  );
}

/** Deletes records up to `settled` of loads that are not visible. */
async function deleteStray(client: ClickHouse, commits: Commits, settled: bigint): Promise<void> {
  const stray = new Set<bigint>();
  for (const table of TABLE_NAMES) {
    const found = await client.rows(
      `SELECT DISTINCT load FROM ${table} WHERE load <= {settled: UInt64} AND NOT ${IS_VISIBLE}`,
      { settled, ...visibleValues(commits) },
    );
    for (const [load] of found) stray.add(big(load));
  }
  if (stray.size > 0) await deleteLoads(client, [...stray]);
}

function bigs(list: unknown): bigint[] {
  return Array.isArray(list) ? list.map(big) : [];
}

function big(value: unknown): bigint {
  return BigInt(String(value));
}
