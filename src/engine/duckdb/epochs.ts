/** Counts writes, so that what two snapshots have seen can be told apart. */
export interface Epochs {
  /** How many writes a snapshot taken now has seen; null while one is under way. */
  readonly now: () => number | null;
  /** Takes a snapshot; how many writes it has seen, null where that cannot be known. */
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
