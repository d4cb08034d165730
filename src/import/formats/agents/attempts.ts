/** A trial whose source does not number its attempts. */
interface Begun {
  /** What stands for its row. */
  readonly row: string;
  readonly name: string;
  readonly startedAt: bigint | null;
}

/** Trials by start, then name, with the number of the attempt that each is at its row. */
export function numberedAttempts<T extends Begun>(trials: readonly T[]) {
  const before = new Map<string, number>();
  return trials.toSorted(byStart).map((one, index) => {
    const attempt = (before.get(one.row) ?? 0) + 1;
    before.set(one.row, attempt);
    return { one, index, attempt };
  });
}

function byStart(one: Begun, other: Begun): number {
  const [a, b] = [one.startedAt ?? 0n, other.startedAt ?? 0n];
  if (a !== b) return a < b ? -1 : 1;
  return one.name < other.name ? -1 : one.name > other.name ? 1 : 0;
}
