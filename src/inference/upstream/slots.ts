/** Slots for requests under way, counted by name. */
export interface Slots {
  /** Takes a slot and returns a function that releases it once; `undefined` when all are taken. */
  take(name: string): (() => void) | undefined;
}

/** At most `limit` slots per name; 0 means no limit. */
export function createSlots(limit: number): Slots {
  const taken = new Map<string, number>();
  const leave = (name: string) => {
    const left = (taken.get(name) ?? 1) - 1;
    if (left === 0) taken.delete(name);
    else taken.set(name, left);
  };
  return {
    take(name) {
      const count = taken.get(name) ?? 0;
      if (limit > 0 && count >= limit) return undefined;
      taken.set(name, count + 1);
      let held = true;
      return () => {
        if (held) leave(name);
        held = false;
      };
    },
  };
}
