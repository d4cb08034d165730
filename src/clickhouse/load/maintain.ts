import type { ClickHouse } from "../server/client.ts";
import { integerOf } from "../server/integer-of.ts";
import type { Servers } from "../server/shards.ts";
import { MOST_NAMED, OF_LOADS, readCommits, readTaken } from "../lookup/visible.ts";
import { closeList } from "./close-list.ts";
import { deleteLoads } from "./delete-loads.ts";
import { SILENT_MS } from "./open-load.ts";
import { noteCommit, takeCommit } from "./take-commit.ts";

/** What maintaining a database did. */
interface Maintained {
  /** Loads that were given up, since their writers had gone. */
  readonly givenUp: number;
  /** Loads of which nothing is stored any more. */
  readonly purged: number;
  /** Records that are deleted: of versions that had ended, and of merged calls that later ones replaced. */
  readonly ended: number;
}

/** A reader may be at work on what it saw when it began for as long as this. */
const GRACE_SECONDS = 3600;
/** So many commits stay with the coordinator; see {@link noteAll}. */
const KEPT_COMMITS = 100n;

interface Maintenance extends Servers {
  readonly hasCoordinator: boolean;
  readonly isReplicated: boolean;
  /** Seconds after which what has ended may go. */
  readonly graceSeconds?: number;
  /** Milliseconds without a sign of life after which a writer is gone. */
  readonly silentMs?: number;
}

/**
 * Gives up loads whose writers have gone, deletes what is in no answer any more, and closes the list of visible loads
 * up to an hour ago. Several processes may do it at the same time.
 */
export async function maintain(maintenance: Maintenance): Promise<Maintained> {
  const { client, hasCoordinator, graceSeconds = GRACE_SECONDS } = maintenance;
  // Signs of life are no commits.
  await client.catchUp(OF_LOADS);
  if (hasCoordinator) await noteAll(client);
  const givenUp = await giveUpSilent(maintenance);
  const purged = await purgeDead(maintenance);
  const ended = await closeList(maintenance, await readCommits(client, hasCoordinator), graceSeconds);
  return { givenUp, purged, ended };
}

/**
 * Notes commits that only the coordinator has, and takes all but the last from it. A writer that has slept since it
 * read the number before could else take one that was taken: by then its load is dead, which counts whatever it
 * commits.
 */
async function noteAll(client: ClickHouse): Promise<void> {
  const { upTo } = await readCommits(client, true);
  const taken = await readTaken(client);
  const found = await client.rows(
    "SELECT DISTINCT commit FROM loads WHERE commit >= {first: UInt64} AND state IN ('visible', 'dead')",
    { first: taken[0]?.number ?? 0n },
  );
  const noted = new Set(found.map(([number]) => String(number)));
  for (const commit of taken) {
    const isClosed = [...commit.loads, ...commit.dead].every((load) => load <= upTo);
    if (!isClosed && !noted.has(String(commit.number))) await noteCommit(client, commit);
  }
  const last = taken.at(-1)?.number ?? 0n;
  const old = taken.map(({ number }) => number).filter((number) => number + KEPT_COMMITS < last);
  for (let at = 0; at < old.length; at += MOST_NAMED) {
    const some = old.slice(at, at + MOST_NAMED);
    await client.run("ALTER TABLE commits DELETE WHERE number IN {some: Array(UInt64)}", { some });
  }
}

/** Commits that loads never become visible, which their writers learn when they commit. */
async function giveUpSilent({ client, hasCoordinator, silentMs = SILENT_MS }: Maintenance): Promise<number> {
  for (;;) {
    const commits = await readCommits(client, hasCoordinator);
    const open = await client.rows(
      `SELECT load FROM loads WHERE state = 'open' AND load > {upTo: UInt64}
        AND load NOT IN (SELECT arrayJoin(loads) FROM loads WHERE state IN ('visible', 'dead'))
      GROUP BY load HAVING max(at) < now64(6) - toIntervalMillisecond({silentMs: UInt32}) LIMIT ${MOST_NAMED}`,
      { upTo: commits.upTo, silentMs },
    );
    const visible = new Set(commits.loads);
    const silent = open.map(([load]) => integerOf(load)).filter((load) => !visible.has(load));
    if (silent.length === 0) return 0;
    const number = commits.number + 1n;
    if (await takeCommit(client, hasCoordinator, { number, loads: [], dead: silent })) return silent.length;
  }
}

async function purgeDead(servers: Servers): Promise<number> {
  const { client } = servers;
  const found =
    await client.rows(`SELECT DISTINCT one FROM (SELECT arrayJoin(loads) AS one FROM loads WHERE state = 'dead')
    WHERE one NOT IN (SELECT load FROM loads WHERE state = 'purged') LIMIT ${MOST_NAMED}`);
  const left = found.map(([load]) => integerOf(load));
  if (left.length === 0) return 0;
  await deleteLoads(servers, left);
  await client.run("INSERT INTO loads (load, state) SELECT arrayJoin({left: Array(UInt64)}), 'purged'", {
    left,
  });
  return left.length;
}
