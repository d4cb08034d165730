import type { ClickHouse } from "./client.ts";

/** Which loads a reader sees: those up to `upTo`, and those of the list, which are later. */
export interface Visible {
  readonly upTo: bigint;
  /** In ascending order. */
  readonly loads: readonly bigint[];
}

/** The state of the commits of a database. */
export interface Commits extends Visible {
  /** The number of the last commit. */
  readonly number: bigint;
  /** Loads that never become visible. */
  readonly dead: ReadonlySet<bigint>;
}

/** Limits a statement to what is visible; the table has the column `load`. The values are those of {@link visibleValues}. */
export const IS_VISIBLE = "(load <= {upTo: UInt64} OR load IN {loads: Array(UInt64)})";

/** The values of {@link IS_VISIBLE}. */
export function visibleValues({ upTo, loads }: Visible): {
  readonly upTo: bigint;
  readonly loads: readonly bigint[];
} {
  return { upTo, loads };
}

/** What is visible with these loads, too. */
export function withLoads(visible: Visible, more: readonly bigint[]): Visible {
  return { upTo: visible.upTo, loads: [...visible.loads, ...more] };
}

/**
 * Reads which loads are visible. The coordinator is asked first: what it no longer has when it is asked is in the table by then, so
 * that no commit is seen without those before it.
 */
export async function readCommits(client: ClickHouse, hasCoordinator: boolean): Promise<Commits> {
  const taken = hasCoordinator ? await client.rows("SELECT number, loads, dead FROM commits") : [];
  const noted = await client.rows(
    "SELECT state, load, commit, loads FROM loads WHERE state IN ('visible', 'dead', 'settled')",
  );
  let upTo = 0n;
  let number = 0n;
  const loads = new Set<bigint>();
  const dead = new Set<bigint>();
  for (const [at, visible, ended] of taken) {
    number = larger(number, BigInt(String(at)));
    for (const load of keys(visible)) loads.add(load);
    for (const load of keys(ended)) dead.add(load);
  }
  for (const [state, load, at, named] of noted) {
    number = larger(number, BigInt(String(at)));
    if (state === "settled") upTo = larger(upTo, BigInt(String(load)));
    else for (const one of keys(named)) (state === "visible" ? loads : dead).add(one);
  }
  const later = [...loads].filter((load) => load > upTo);
  return { upTo, number, dead, loads: later.toSorted((a, b) => (a < b ? -1 : 1)) };
}

function keys(list: unknown): bigint[] {
  return Array.isArray(list) ? list.map((one) => BigInt(String(one))) : [];
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
