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
