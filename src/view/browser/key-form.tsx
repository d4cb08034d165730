import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Frame } from "./frame.tsx";

interface KeyFormProps {
  /** Whether `evalcube view` shows the page, which made the key itself. */
  readonly ownKey: boolean;
  /** Whether the service refused the last key. */
  readonly refused: boolean;
  readonly open: (key: string) => void;
}

/** Asks for a key of the service. */
export function KeyForm({ ownKey, refused, open }: KeyFormProps): VNode {
  const [key, setKey] = useState("");
  return (
    <Frame title="evalcube">
      <form
        class="key-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (key.trim() !== "") open(key.trim());
        }}
      >
        {refused ? (
          <p role="alert" class="failure">
            The service does not accept this key.
          </p>
        ) : null}
        <p class="hint">
          {ownKey
            ? "This page is shown by evalcube view. Its key is in the address that it printed; copy that, or run it again."
            : "A key is made by evalcube keys create. It is kept until this tab is closed."}
        </p>
        <label class="field">
          <span>Key</span>
          <input
            type="password"
            autocomplete="off"
            value={key}
            onInput={(event) => setKey(event.currentTarget.value)}
          />
        </label>
        <button type="submit">Open</button>
      </form>
    </Frame>
  );
}

const STORED = "evalcube-key";

/** The key that the address brings, else the one of this tab; null where there is none. */
export function givenKey(): string | null {
  const brought = new URLSearchParams(location.hash.slice(1)).get("key") ?? "";
  return brought === "" ? inStorage((storage) => storage.getItem(STORED)) : brought;
}

/** The same key; that of the address is removed from it and kept. */
export function takeKey(): string | null {
  const key = givenKey();
  const members = new URLSearchParams(location.hash.slice(1));
  if (!members.has("key")) return key;
  members.delete("key");
  const rest = members.toString();
  history.replaceState(history.state, "", rest === "" ? location.pathname + location.search : `#${rest}`);
  return key === null ? null : keepKey(key);
}

/** Keeps a key for this tab. */
export function keepKey(key: string): string {
  inStorage((storage) => storage.setItem(STORED, key));
  return key;
}

export function forgetKey(): void {
  inStorage((storage) => storage.removeItem(STORED));
}

/** Null where a browser stores nothing; it asks again after the next load. */
function inStorage<Found>(use: (storage: Storage) => Found): Found | null {
  try {
    return use(sessionStorage);
  } catch {
    return null;
  }
}

const CHANNEL = "evalcube-key";
const WHO_HAS_ONE = "who has a key?";
/** After so long nobody else has a key; one that comes later is taken too. */
const ANSWERED_IN_MS = 300;

/**
 * Where a service has one key, tabs of one browser give it to each other; a browser lets only pages of that service
 * hear it. True while a tab without a key waits for others.
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
