import { lengthened } from "../bytes/growing.ts";
import type { Clock } from "./clock.ts";
import { createHash } from "node:crypto";

/** What is known of a trial of an earlier run; `open`: it was not in error, but had not ended. */
export type Earlier = "absent" | "good" | "errored" | "open";

/** The place of a trial in the book. */
export interface Claim {
  readonly entry: number;
  /** Number of the trial among those of its row. */
  readonly number: number;
}

/**
 * Which trials an evaluation has: their numbers, and when they started. The starts of the trials of one row are in the
 * order of their numbers, so that answers show them in that order. Some 50 bytes a trial.
 */
export interface TrialBook {
  readonly clock: Clock;
  readonly rows: RowNumbers;
  readonly entries: Entries;
}

const EARLIER: readonly Earlier[] = ["absent", "good", "errored", "open"];
/** Added to the state of an entry that this run has claimed. */
const CLAIMED = 4;

export function createTrialBook(clock: Clock): TrialBook {
  return { clock, rows: createRowNumbers(), entries: createEntries() };
}

/** What became of a claim. `taken`: this run has that trial; `stored`: an earlier run has it, without error. */
type Claimable = Claim | "taken" | { readonly stored: number };

/** Takes a number for a new trial of a row, the next one if none is given. */
export function claimTrial(book: TrialBook, digest: string, given: number | undefined): Claimable {
  const { entries } = book;
  const row = rowNumber(book.rows, digest);
  const number = given ?? nextNumber(entries, row);
  const { above, at } = findEntry(entries, row, number);
  if (at === NONE || numberOfEntry(entries, at) !== number) {
    const startedAt = timeBetween(book, number, above, at);
    const entry = addEntry(entries, row, above, { number, startedAt, state: CLAIMED });
    useUpTo(entries, row, number);
    return { entry, number };
  }
  useUpTo(entries, row, number);
  const state = stateOf(entries, at);
  if (state >= CLAIMED) return "taken";
  if (EARLIER[state] === "good") return { stored: number };
  entries.states[at] = state + CLAIMED;
  return { entry: at, number };
}

/** The time that leaves every other trial of the row in its order, as near to now as may be. */
function timeBetween({ entries, clock }: TrialBook, number: number, above: number, below: number): number {
  // Room for the numbers between, which may start later.
  const apart = below === NONE ? number + 1 : number - numberOfEntry(entries, below);
  const earliest = below === NONE ? 0 : timeOfEntry(entries, below) + apart;
  const now = Math.max(clock.tick(apart), earliest);
  if (above === NONE) return now;
  return Math.min(now, timeOfEntry(entries, above) - (numberOfEntry(entries, above) - number));
}

/** Takes note of a trial of an earlier run. */
export function rememberTrial(
  { rows, entries }: TrialBook,
  digest: string,
  number: number,
  startedAt: number,
  earlier: Exclude<Earlier, "absent">,
): void {
  const row = rowNumber(rows, digest);
  const { above, at } = findEntry(entries, row, number);
  const state = EARLIER.indexOf(earlier);
  if (at === NONE || numberOfEntry(entries, at) !== number) {
    addEntry(entries, row, above, { number, startedAt, state });
    return;
  }
  entries.states[at] = CLAIMED + state;
  entries.times[at] = startedAt;
}

/** Puts the start of a trial in order with those that were remembered since it was claimed. */
export function settleStart({ rows, entries }: TrialBook, { entry, number }: Claim, digest: string): void {
  if (stateOf(entries, entry) !== CLAIMED) return;
  const latest = latestStart(entries, rowNumber(rows, digest), number);
  entries.times[entry] = Math.min(timeOfEntry(entries, entry), latest);
}

export function earlierOf({ entries }: TrialBook, { entry }: Claim): Earlier {
  return EARLIER[stateOf(entries, entry) % CLAIMED] ?? "absent";
}

/** Microseconds since 1970. */
export function startedAtOf({ entries }: TrialBook, { entry }: Claim): number {
  return timeOfEntry(entries, entry);
}

/** No entry. */
const NONE = -1;

interface Entry {
  readonly number: number;
  /** Microseconds since 1970. */
  readonly startedAt: number;
  readonly state: number;
}

/** Trials as columns of numbers; those of a row are a list, the largest number first. */
interface Entries {
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

function createEntries(): Entries {
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

function numberOfEntry({ numbers }: Entries, entry: number): number {
  return numbers[entry] ?? 0;
}

function timeOfEntry({ times }: Entries, entry: number): number {
  return times[entry] ?? 0;
}

function stateOf({ states }: Entries, entry: number): number {
  return states[entry] ?? 0;
}

function nextNumber({ nexts }: Entries, row: number): number {
  return nexts[row] ?? 0;
}

/** The row gives out only numbers above this one from now on. It must have an entry. */
function useUpTo(entries: Entries, row: number, number: number): void {
  entries.nexts[row] = Math.max(nextNumber(entries, row), number + 1);
}

/** The entry of the row with this number or the next smaller one, and the one above it. */
function findEntry(
  entries: Entries,
  row: number,
  number: number,
): { readonly above: number; readonly at: number } {
  let above = NONE;
  let at = entries.heads[row] ?? NONE;
  while (at !== NONE && numberOfEntry(entries, at) > number) {
    above = at;
    at = entries.below[at] ?? NONE;
  }
  return { above, at };
}

/** Adds an entry below `above`, at the head of the list where that is `NONE`. */
function addEntry(entries: Entries, row: number, above: number, entry: Entry): number {
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
function latestStart(entries: Entries, row: number, number: number): number {
  let latest = Infinity;
  let at = entries.heads[row] ?? NONE;
  while (at !== NONE && numberOfEntry(entries, at) > number) {
    latest = Math.min(latest, timeOfEntry(entries, at) - (numberOfEntry(entries, at) - number));
    at = entries.below[at] ?? NONE;
  }
  return latest;
}

function lengthen(entries: Entries): void {
  entries.numbers = lengthened(entries.numbers);
  entries.times = lengthened(entries.times);
  entries.states = lengthened(entries.states);
  entries.below = lengthened(entries.below);
  entries.heads = lengthened(entries.heads, 0, NONE);
  entries.nexts = lengthened(entries.nexts);
}

/** Numbers rows from 0, in 20 to 40 bytes a row: an evaluation may have millions. */
export interface RowNumbers {
  /** The number of a row, or -1, at a place that its hash tells. */
  slots: Int32Array<ArrayBuffer>;
  hashes: Uint32Array<ArrayBuffer>;
  count: number;
}

/** Words of a hash that are kept. Two of a million rows have the same 96 bits with a probability of 1e-17. */
const WORDS = 3;
const FIRST_SLOTS = 1024;

export function createRowNumbers(): RowNumbers {
  return {
    slots: new Int32Array(FIRST_SLOTS).fill(-1),
    hashes: new Uint32Array((FIRST_SLOTS / 2) * WORDS),
    count: 0,
  };
}

/** The number of the row with this digest, which is a new one if it has none. */
export function rowNumber(rows: RowNumbers, digest: string): number {
  const words = hashWords(digest);
  const slot = slotOf(rows, words, 0);
  const known = rows.slots[slot] ?? -1;
  if (known >= 0) return known;
  const number = rows.count++;
  rows.hashes.set(words, number * WORDS);
  rows.slots[slot] = number;
  if (rows.count * 2 >= rows.slots.length) grow(rows);
  return number;
}

function slotOf({ slots, hashes }: RowNumbers, words: Uint32Array, at: number): number {
  const mask = slots.length - 1;
  for (let slot = (words[at] ?? 0) & mask; ; slot = (slot + 1) & mask) {
    const number = slots[slot] ?? -1;
    if (number < 0 || isSame(hashes, number * WORDS, words, at)) return slot;
  }
}

function grow(rows: RowNumbers): void {
  const hashes = lengthened(rows.hashes);
  rows.hashes = hashes;
  rows.slots = new Int32Array(rows.slots.length * 2).fill(-1);
  for (let number = 0; number < rows.count; number++)
    rows.slots[slotOf(rows, hashes, number * WORDS)] = number;
}

export function hashWords(digest: string): Uint32Array {
  const hash = createHash("sha256").update(digest).digest();
  return Uint32Array.from({ length: WORDS }, (_, i) => hash.readUInt32LE(i * 4));
}

function isSame(a: Uint32Array, i: number, b: Uint32Array, j: number): boolean {
  return a[i] === b[j] && a[i + 1] === b[j + 1] && a[i + 2] === b[j + 2];
}
