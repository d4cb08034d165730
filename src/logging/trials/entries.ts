/** No entry. */
export const NONE = -1;

interface Entry {
  readonly number: number;
  /** Microseconds since 1970. */
  readonly startedAt: number;
  readonly state: number;
}

/** Trials as columns of numbers; those of a row are a list, the largest number first. */
export interface Entries {
  count: number;
  numbers: Uint32Array<ArrayBuffer>;
  /** Microseconds since 1970. */
  times: Float64Array<ArrayBuffer>;
  states: Uint8Array<ArrayBuffer>;
  /** The next smaller number of the row. */
  below: Int32Array<ArrayBuffer>;
  /** By row: the largest number, and the next one that is given out. There are no more rows than trials. */
  heads: Int32Array<ArrayBuffer>;
  nexts: Uint32Array<ArrayBuffer>;
}

const FIRST_LENGTH = 1024;

export function createEntries(): Entries {
  return {
    count: 0,
    numbers: new Uint32Array(FIRST_LENGTH),
    times: new Float64Array(FIRST_LENGTH),
    states: new Uint8Array(FIRST_LENGTH),
    below: new Int32Array(FIRST_LENGTH),
    heads: new Int32Array(FIRST_LENGTH).fill(NONE),
    nexts: new Uint32Array(FIRST_LENGTH),
  };
}

export function numberOf({ numbers }: Entries, entry: number): number {
  return numbers[entry] ?? 0;
}

export function timeOf({ times }: Entries, entry: number): number {
  return times[entry] ?? 0;
}

export function stateOf({ states }: Entries, entry: number): number {
  return states[entry] ?? 0;
}

export function nextNumber({ nexts }: Entries, row: number): number {
  return nexts[row] ?? 0;
}

/** From now on the row gives out numbers above this one only. The row has an entry. */
export function useUpTo(entries: Entries, row: number, number: number): void {
  entries.nexts[row] = Math.max(nextNumber(entries, row), number + 1);
}

/** The entry of the row with this number or the next smaller one, and the one above it. */
export function findEntry(
  entries: Entries,
  row: number,
  number: number,
): { readonly above: number; readonly at: number } {
  let above = NONE;
  let at = entries.heads[row] ?? NONE;
  while (at !== NONE && numberOf(entries, at) > number) {
    above = at;
    at = entries.below[at] ?? NONE;
  }
  return { above, at };
}

/** Adds an entry below `above`, at the head of the list where that is `NONE`. */
export function addEntry(entries: Entries, row: number, above: number, entry: Entry): number {
  if (entries.count === entries.numbers.length) lengthen(entries);
  const { below, heads } = entries;
  const at = entries.count++;
  entries.numbers[at] = entry.number;
  entries.times[at] = entry.startedAt;
  entries.states[at] = entry.state;
  below[at] = (above === NONE ? heads[row] : below[above]) ?? NONE;
  if (above === NONE) heads[row] = at;
  else below[above] = at;
  return at;
}

/** The latest start of a trial with this number that leaves the order of those above it. */
export function latestStart(entries: Entries, row: number, number: number): number {
  let latest = Infinity;
  let at = entries.heads[row] ?? NONE;
  while (at !== NONE && numberOf(entries, at) > number) {
    latest = Math.min(latest, timeOf(entries, at) - (numberOf(entries, at) - number));
    at = entries.below[at] ?? NONE;
  }
  return latest;
}

function lengthen(entries: Entries): void {
  const length = entries.count * 2;
  entries.numbers = copyInto(new Uint32Array(length), entries.numbers);
  entries.times = copyInto(new Float64Array(length), entries.times);
  entries.states = copyInto(new Uint8Array(length), entries.states);
  entries.below = copyInto(new Int32Array(length), entries.below);
  entries.heads = copyInto(new Int32Array(length).fill(NONE), entries.heads);
  entries.nexts = copyInto(new Uint32Array(length), entries.nexts);
}

function copyInto<T extends { readonly set: (values: T) => void }>(larger: T, values: T): T {
  larger.set(values);
  return larger;
}
