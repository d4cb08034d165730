import type { Place } from "../log/trace.ts";

/** Lets so many answers be under way at once. */
export function createPlaces(most: number): () => Place {
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
