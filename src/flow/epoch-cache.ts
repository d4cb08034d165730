/** Caches, by key, values read from one state of the database. Everything is discarded after a write. */
export interface EpochCache<T> {
  readonly find: (key: string, epoch: number) => T | undefined;
  readonly keep: (key: string, epoch: number, value: T) => void;
}

/**
 * `limit` bounds the total size of all entries. Beyond it, the entries found longest ago are removed first; the newest
 * entry stays whatever its size.
 */
export function epochCache<T>(limit: number, sizeOf: (key: string, value: T) => number): EpochCache<T> {
  const entries = new Map<string, { readonly value: T; readonly size: number }>();
  let kept = -1;
  let total = 0;
  const forget = (key: string) => {
    total -= entries.get(key)?.size ?? 0;
    entries.delete(key);
  };
  return {
    find: (key, epoch) => {
      if (epoch !== kept) {
        entries.clear();
        total = 0;
        kept = epoch;
      }
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry.value;
    },
    keep: (key, epoch, value) => {
      if (epoch !== kept) return;
      forget(key);
      const size = sizeOf(key, value);
      entries.set(key, { value, size });
      total += size;
      for (const oldest of entries.keys()) {
        if (total <= limit || oldest === key) break;
        forget(oldest);
      }
    },
  };
}

/**
 * Returns the value that `read` gives, reading once for each key and state of the database. `epoch` null means that the
 * state is unknown; the value is then read and not kept.
 */
export async function remembered<T>(
  cache: EpochCache<T>,
  epoch: number | null,
  key: string,
  read: () => Promise<T>,
): Promise<T> {
  if (epoch === null) return read();
  const known = cache.find(key, epoch);
  if (known !== undefined) return known;
  const found = await read();
  cache.keep(key, epoch, found);
  return found;
}
