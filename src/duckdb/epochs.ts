/** Counts writes, so that snapshots that have seen different writes can be distinguished. */
export interface Epochs {
  /** Number of writes that a snapshot taken now has seen; null while a write is under way. */
  readonly now: () => number | null;
  /** Takes a snapshot; resolves to the number of writes that it has seen, null where that cannot be known. */
  readonly around: (takeSnapshot: () => Promise<unknown>) => Promise<number | null>;
  readonly duringWrite: <T>(write: () => Promise<T>) => Promise<T>;
}

export function createEpochs(): Epochs {
  let writes = 0;
  let activeWrites = 0;
  const now = () => (activeWrites === 0 ? writes : null);
  return {
    now,
    around: async (takeSnapshot) => {
      const before = now();
      await takeSnapshot();
      return before === now() ? before : null;
    },
    duringWrite: async (write) => {
      activeWrites++;
      try {
        return await write();
      } finally {
        activeWrites--;
        writes++;
      }
    },
  };
}
