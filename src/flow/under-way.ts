/** Work that must end before what it uses is closed. */
export interface UnderWay {
  readonly track: <T>(task: Promise<T>) => Promise<T>;
  readonly count: () => number;
  /** Waits for all work under way, and for work that begins meanwhile. */
  readonly ended: () => Promise<void>;
}

export function createUnderWay(): UnderWay {
  const running = new Set<Promise<unknown>>();
  return {
    track: (task) => {
      const tracked = task.finally(() => running.delete(tracked));
      running.add(tracked);
      return tracked;
    },
    count: () => running.size,
    ended: async () => {
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}
