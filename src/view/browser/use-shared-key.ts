import { useEffect, useState } from "preact/hooks";

const CHANNEL = "evalcube-key";
const WHO_HAS_ONE = "who has a key?";
/** After so long nobody else has a key; one that comes later is taken too. */
const ANSWERED_IN_MS = 300;

/**
 * Where a service has one key, tabs of one browser give it to each other; a browser lets only pages of that service hear it. True while a
 * tab without a key waits for others.
 */
export function useSharedKey(
  shares: boolean,
  key: string | null,
  refused: string | null,
  take: (key: string) => void,
): boolean {
  const [isWaiting, setWaiting] = useState(shares && key === null);
  useEffect(() => {
    if (!shares) return undefined;
    const channel = new BroadcastChannel(CHANNEL);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- A channel has one origin.
    const say = (what: unknown) => channel.postMessage(what);
    channel.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
      if (key !== null && data === WHO_HAS_ONE) say({ key });
      if (key === null && data !== null && typeof data === "object" && "key" in data)
        if (typeof data.key === "string" && data.key !== refused) take(data.key);
    });
    if (key === null) say(WHO_HAS_ONE);
    const timer = setTimeout(() => setWaiting(false), ANSWERED_IN_MS);
    return () => {
      clearTimeout(timer);
      channel.close();
    };
  }, [key]);
  return isWaiting;
}
