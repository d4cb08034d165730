/** Runs one task after another. */
export interface WriteQueue {
  /** Runs `task` when all before it have ended; the next waits for `afterwards` as well, whether it fails or not. */
  readonly add: <T>(task: () => Promise<T>, afterwards?: () => Promise<void>) => Promise<T>;
  /** Waits for all that was added. */
  readonly ended: () => Promise<void>;
}

export function createWriteQueue(): WriteQueue {
  let last: Promise<void> = Promise.resolve();
  return {
    add: (task, afterwards) => {
      const added = last.then(task);
      last = added.then(
        () => afterwards?.(),
        () => afterwards?.(),
      );
      return added;
    },
    ended: () => last,
  };
}
