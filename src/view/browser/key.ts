const STORED = "evalcube-key";

/** The key that the address brings, else the one of this tab; null where there is none. */
export function givenKey(): string | null {
  const brought = new URLSearchParams(location.hash.slice(1)).get("key");
  return brought === null || brought === "" ? storedKey() : brought;
}

/** The key that the address brings, which is then removed from it, else the one of this tab; null where there is none. */
export function takeKey(): string | null {
  const members = new URLSearchParams(location.hash.slice(1));
  const brought = members.get("key");
  if (brought === null) return storedKey();
  members.delete("key");
  const rest = members.toString();
  history.replaceState(history.state, "", rest === "" ? location.pathname + location.search : `#${rest}`);
  return brought === "" ? storedKey() : keepKey(brought);
}

/** Keeps a key for this tab. */
export function keepKey(key: string): string {
  try {
    sessionStorage.setItem(STORED, key);
  } catch {
    // A browser that stores nothing asks again after the next load.
  }
  return key;
}

export function forgetKey(): void {
  try {
    sessionStorage.removeItem(STORED);
  } catch {
    // Then there is none.
  }
}

function storedKey(): string | null {
  try {
    return sessionStorage.getItem(STORED);
  } catch {
    return null;
  }
}
