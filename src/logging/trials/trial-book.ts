import type { Clock } from "../records/clock.ts";
import {
  addEntry,
  createEntries,
  findEntry,
  latestStart,
  nextNumber,
  NONE,
  numberOf,
  stateOf,
  timeOf,
  useUpTo,
  type Entries,
} from "./entries.ts";
import { createRowNumbers, rowNumber, type RowNumbers } from "./row-numbers.ts";

/** What is known of a trial of an earlier run; `open`: it was not in error, but had not ended. */
export type Earlier = "absent" | "good" | "errored" | "open";

/** The place of a trial in the book. */
export interface Claim {
  readonly entry: number;
  /** Number of the trial among those of its row. */
  readonly number: number;
}

/**
 * Which trials an evaluation has: their numbers, and when they started. The starts of the trials of one row are in the order of
 * their numbers, so that answers show them in that order. Some 50 bytes a trial.
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

/**
 * Takes a number for a new trial of a row, the next one if none is given. `taken`: this run has that trial; `stored`: an earlier run
 * has it, without error.
 */
export function claimTrial(
  book: TrialBook,
  digest: string,
  given: number | undefined,
): Claim | "taken" | "stored" {
  const { entries } = book;
  const row = rowNumber(book.rows, digest);
  const number = given ?? nextNumber(entries, row);
  const { above, at } = findEntry(entries, row, number);
  if (at === NONE || numberOf(entries, at) !== number) {
    const startedAt = timeBetween(book, number, above, at);
    const entry = addEntry(entries, row, above, { number, startedAt, state: CLAIMED });
    useUpTo(entries, row, number);
    return { entry, number };
  }
  useUpTo(entries, row, number);
  const state = stateOf(entries, at);
  if (state >= CLAIMED) return "taken";
  if (EARLIER[state] === "good") return "stored";
  entries.states[at] = state + CLAIMED;
  return { entry: at, number };
}

/** The time that leaves every other trial of the row in its order, as near to now as may be. */
function timeBetween({ entries, clock }: TrialBook, number: number, above: number, below: number): number {
  // Room for the numbers between, which may start later.
  const apart = below === NONE ? number + 1 : number - numberOf(entries, below);
  const earliest = below === NONE ? 0 : timeOf(entries, below) + apart;
  const now = Math.max(clock.tick(apart), earliest);
  if (above === NONE) return now;
  return Math.min(now, timeOf(entries, above) - (numberOf(entries, above) - number));
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
  if (at === NONE || numberOf(entries, at) !== number) {
    addEntry(entries, row, above, { number, startedAt, state });
    return;
  }
  entries.states[at] = CLAIMED + state;
  entries.times[at] = startedAt;
}

/** Puts the start of a trial in order with those that were remembered since it was claimed. */
export function settleTrial({ rows, entries }: TrialBook, { entry, number }: Claim, digest: string): void {
  if (stateOf(entries, entry) !== CLAIMED) return;
  const latest = latestStart(entries, rowNumber(rows, digest), number);
  entries.times[entry] = Math.min(timeOf(entries, entry), latest);
}

export function earlierOf({ entries }: TrialBook, { entry }: Claim): Earlier {
  return EARLIER[stateOf(entries, entry) % CLAIMED] ?? "absent";
}

/** Microseconds since 1970. */
export function startOf({ entries }: TrialBook, { entry }: Claim): number {
  return timeOf(entries, entry);
}
