import type { AnswerPlace } from "../log/trace.ts";

/** Lets so many answers be under way at once. */
export function createPlaces(most: number): () => AnswerPlace {
  const waiting = new Set<() => void>();
  let taken = 0;
  const give = () => {
    const [next] = waiting;
    if (next === undefined) taken--;
    else next();
  };
  const take = async (client: AbortSignal) => {
    client.throwIfAborted();
    if (taken < most) return void taken++;
    await new Promise<void>((resolve, reject) => {
      const settle = (end: () => void) => {
        waiting.delete(go);
        client.removeEventListener("abort", goAway);
        end();
      };
      const go = () => settle(resolve);
      const goAway = () => settle(() => reject(client.reason as Error));
      waiting.add(go);
      client.addEventListener("abort", goAway);
    });
  };
  return () => {
    let isHeld = false;
    return {
      take: async (client) => {
        await take(client);
        isHeld = true;
      },
      leave: () => {
        if (isHeld) give();
        isHeld = false;
      },
      isWanted: () => waiting.size > 0,
    };
  };
}

/** A body of so many bytes takes less than a hundredth of a second to work on. */
const LARGE_BYTES = 1024 * 1024;

/** The part of one request in the order of large bodies. */
export interface LargeBodyTurn {
  /**
   * Resolves when a body of so many bytes may be worked on: a small one at once, a large one when those before it are
   * done.
   */
  readonly take: (bytes: number) => Promise<void>;
  /** The request is answered. */
  readonly end: () => void;
}

/**
 * Lets large bodies be worked on one after the other: together they would keep everybody else waiting, and fill the
 * memory.
 */
export function createLargeBodies(): () => LargeBodyTurn {
  let last = Promise.resolve();
  return () => {
    let end: (() => void) | null = null;
    return {
      take: (bytes) => {
        if (bytes < LARGE_BYTES) return Promise.resolve();
        const before = last;
        last = new Promise((resolve) => (end = resolve));
        return before;
      },
      end: () => end?.(),
    };
  };
}
