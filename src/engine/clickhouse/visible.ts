import { StoreError } from "../../errors.ts";
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

/** A value of a request may have 128 KiB: so many loads fit. */
const LOADS_A_VALUE = 5000;
const VALUES = ["loads", "loads2", "loads3", "loads4"] as const;

/** Limits a statement to what is visible; the table has the column `load`. The values are those of {@link visibleValues}. */
export const IS_VISIBLE = `(load <= {upTo: UInt64} OR ${VALUES.map((name) => `load IN {${name}: Array(UInt64)}`).join(" OR ")})`;

/** The values of {@link IS_VISIBLE}. Throws `StoreError` `too_many_loads` where the list is too long for a statement. */
export function visibleValues({
  upTo,
  loads,
}: Visible): Readonly<Record<string, bigint | readonly bigint[]>> {
  if (loads.length > VALUES.length * LOADS_A_VALUE) {
    throw new StoreError(
      "too_many_loads",
      `${loads.length} loads were committed within the last hour, more than a statement can name; load larger sources, or wait until the database was maintained`,
    );
  }
  const lists = VALUES.map((name, i) => [name, loads.slice(i * LOADS_A_VALUE, (i + 1) * LOADS_A_VALUE)]);
  return { upTo, ...Object.fromEntries(lists) };
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
