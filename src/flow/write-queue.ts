/** Runs tasks one after another. */
export interface WriteQueue {
  /**
   * Runs `task` when all earlier tasks have ended, and then `afterwards`, whether the task fails or not; the next task
   * waits for both.
   */
  readonly add: <T>(task: () => Promise<T>, afterwards?: () => Promise<void>) => Promise<T>;
  /** Waits for all tasks that were added. */
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
