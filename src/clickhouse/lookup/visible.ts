import type { ClickHouse } from "../server/client.ts";
import { TABLE_NAMES } from "../insert/tables.ts";
import { integerOf } from "../server/integer-of.ts";

/** Which loads a reader sees: those up to `upTo`, those of the commits up to `commit`, and those of the list. */
export interface Visible {
  readonly upTo: bigint;
  /** 0 where the list has all that are later than `upTo`. */
  readonly commit: bigint;
  readonly loads: readonly bigint[];
}

/** The state of the commits of a database. */
export interface Commits extends Visible {
  /** The number of the last commit. What is visible follows from it. */
  readonly number: bigint;
  /** The largest key of a visible load. */
  readonly last: bigint;
  /** The visible loads of the commits after `since`. */
  readonly fresh: readonly bigint[];
  /** Whether `load` never becomes visible. */
  readonly isDead: boolean;
}

/** A statement names so many loads; what is more, the server reads. */
export const MOST_NAMED = 1000;

/**
 * Limits a statement to what is visible; the table has the column `load`. The values are those of {@link
 * visibleValues}.
 */
export const IS_VISIBLE = `(load <= {upTo: UInt64} OR load IN {loads: Array(UInt64)}
  OR load IN (SELECT arrayJoin(loads) FROM loads WHERE state = 'visible' AND commit <= {commit: UInt64}))`;

/**
 * Limits a statement on a table of facts to the visible versions of trials that have not ended; see the table `gone`.
 */
export const IS_ALIVE = `${IS_VISIBLE} AND (evaluation_key, trial_key, load) NOT IN
  (SELECT evaluation_key, trial_key, born FROM gone WHERE ${IS_VISIBLE})`;

/** The values of {@link IS_VISIBLE}. */
export function visibleValues({ upTo, commit, loads }: Visible) {
  return { upTo, commit, loads };
}

/** What is visible with these loads, too. */
export function withLoads(visible: Visible, more: readonly bigint[]): Visible {
  return { upTo: visible.upTo, commit: visible.commit, loads: [...visible.loads, ...more] };
}

/** What a commit does. */
export interface TakenCommit {
  readonly number: bigint;
  /** Loads that become visible, all at once. */
  readonly loads: readonly bigint[];
  /** Loads that never become visible. */
  readonly dead: readonly bigint[];
}

/** The commits that the coordinator still has, in the order of their numbers. */
export async function readTaken(client: ClickHouse): Promise<TakenCommit[]> {
  const found = await client.rows("SELECT number, loads, dead FROM commits ORDER BY number");
  return found.map(([number, loads, dead]) => ({
    number: integerOf(number),
    loads: bigs(loads),
    dead: bigs(dead),
  }));
}

/** What a writer asks about besides. */
interface Asked {
  readonly since?: bigint;
  readonly load?: bigint;
}

/**
 * Reads which loads are visible. The coordinator is asked first: what it no longer has when it is asked is in the table
 * by then, and what the table has of later commits does not count, so that no commit is seen without those before it.
 */
export async function readCommits(
  client: ClickHouse,
  hasCoordinator: boolean,
  asked: Asked = {},
): Promise<Commits> {
  return readNoted(client, await askCoordinator(client, hasCoordinator), asked);
}

/**
 * The commits that the coordinator still has; none where there is no coordinator. The table has all others when it has
 * answered.
 */
export async function askCoordinator(
  client: ClickHouse,
  hasCoordinator: boolean,
): Promise<readonly TakenCommit[]> {
  const taken = hasCoordinator ? await readTaken(client) : [];
  const [first, most] = endsOf(taken);
  await client.catchUp(OF_LOADS, `${first} ${most}`);
  return taken;
}

function endsOf(taken: readonly TakenCommit[]): readonly [bigint, bigint] {
  return [taken[0]?.number ?? ALL, taken.at(-1)?.number ?? ALL];
}

/** Which loads are visible, by the table and what the coordinator had before. */
export async function readNoted(
  client: ClickHouse,
  taken: readonly TakenCommit[],
  { since = ALL, load = 0n }: Asked = {},
): Promise<Commits> {
  const [first, most] = endsOf(taken);
  const [found = []] = await client.rows(NOTED, { first, most, since, load });
  const [upTo, noted, last, isDead] = [
    integerOf(found[0]),
    integerOf(found[1]),
    integerOf(found[2]),
    Number(found[3]) > 0,
  ];
  const [list, numbers, later] = [bigs(found[4]), new Set(bigs(found[5])), bigs(found[6])];
  const missing = taken.filter(({ number }) => !numbers.has(number));
  const own = missing.flatMap(({ loads }) => loads).filter((one) => one > upTo);
  const number = taken.length > 0 ? most : noted;
  const isShort = list.length <= MOST_NAMED;
  return {
    upTo,
    number,
    commit: isShort ? 0n : number,
    loads: isShort ? [...list, ...own] : own,
    last: [upTo, ...own].reduce((a, b) => (a > b ? a : b), last),
    fresh: [...later, ...missing.flatMap((one) => (one.number > since ? one.loads : []))],
    isDead: isDead || missing.some(({ dead }) => dead.includes(load)),
  };
}

/** The same with all loads in the list. */
export async function readNamed(client: ClickHouse, { upTo, commit, loads }: Visible): Promise<Visible> {
  if (commit === 0n) return { upTo, commit, loads };
  const [found = []] = await client.rows(
    `SELECT groupUniqArrayArray(arrayFilter(one -> one > {upTo: UInt64}, loads))
    FROM loads WHERE state = 'visible' AND commit <= {commit: UInt64}`,
    { upTo, commit },
  );
  return { upTo, commit: 0n, loads: [...new Set([...bigs(found[0]), ...loads])] };
}

const ALL = 2n ** 64n - 1n;

/** What a commit makes visible, and where it is noted. */
export const OF_LOADS = ["loads", ...TABLE_NAMES];

/** Says which commits from `first` on are noted, and what those after `since` made visible. */
const NOTED = `WITH (SELECT max(load) FROM loads WHERE state = 'settled' AND commit <= {most: UInt64}) AS closed
  SELECT closed, max(commit), maxIf(arrayMax(loads), state = 'visible'),
    countIf(state = 'dead' AND has(loads, {load: UInt64})) > 0,
    groupUniqArrayArrayIf(${MOST_NAMED + 1})(arrayFilter(one -> one > closed, loads), state = 'visible'),
    groupUniqArrayIf(commit, state IN ('visible', 'dead') AND commit >= {first: UInt64}),
    groupUniqArrayArrayIf(loads, state = 'visible' AND commit > {since: UInt64})
  FROM loads WHERE commit <= {most: UInt64}`;

function bigs(list: unknown): bigint[] {
  return Array.isArray(list) ? list.map(integerOf) : [];
}
