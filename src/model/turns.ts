/*
 * Long work of the event loop is cut into short pieces, so that whatever else waits for it is not kept waiting: the
 * answers of an engine share turns, a load has turns of its own, and a list is gone through in slices.
 */

/** How long one turn lasts. */
const TURN_MS = 2;
/**
 * While DuckDB reads what a load gives it, it asks the main thread for each chunk, some fifty times a batch, and waits.
 */
const LOADING_TURN_MS = 0.25;

const resumes: (() => void)[] = [];

/**
 * Lets whatever else waits for the event loop go first. Node runs all that `setImmediate` was given in one turn; here
 * each has a turn of its own, whoever waits in this process.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resume) => {
    if (resumes.push(resume) === 1) setImmediate(resumeNext);
  });
}

function resumeNext(): void {
  const resume = resumes.shift();
  if (resumes.length > 0) setImmediate(resumeNext);
  resume?.();
}

/** A text of so many characters takes a turn for each thing that is done with it. */
const LONG_TEXT = 1024 * 1024;

export function isLongText(text: string): boolean {
  return text.length >= LONG_TEXT;
}

/** Longer texts get a turn each: several would hold one too long. */
const TEXT_OF_A_TURN = 8 * 1024;

/** `work`, in a turn of its own where it has to do with more than a short text. */
export function inOwnTurn<T>(text: string, work: () => T | Promise<T>): T | Promise<T> {
  return text.length >= TEXT_OF_A_TURN ? nextTurn().then(work) : work();
}

/** The parts of a list, so many items each, for what is done with them in slices. */
export function* partsOf<Item>(
  list: { readonly length: number; readonly slice: (from: number, to: number) => readonly Item[] },
  items: number,
): Generator<readonly Item[], void, undefined> {
  for (let at = 0; at < list.length; at += items) yield list.slice(at, at + items);
}

/** Divides the time of the event loop among what is done at once, and leaves some to whatever else waits for it. */
export interface Turns {
  /**
   * Resolves at once while what took this turn has not lasted long, else in a turn of its own. Asked before each short
   * piece of work.
   */
  readonly take: () => Promise<void>;
}

const AT_ONCE = Promise.resolve();

export function createTurns(clock: () => number = () => performance.now()): Turns {
  const waiting: (() => void)[] = [];
  let began: number | null = null;
  const begin = () => {
    began = clock();
    setImmediate(end);
  };
  const end = () => {
    began = null;
    const next = waiting.shift();
    if (next === undefined) return;
    begin();
    next();
  };
  return {
    take: () => {
      if (began === null) begin();
      else if (clock() - began > TURN_MS) return new Promise((resume) => waiting.push(resume));
      return AT_ONCE;
    },
  };
}

/** Runs short pieces of work in the order in which they are given. */
export type Spread = <T>(work: () => T) => Promise<T>;

/** Runs at once what fits into a turn of the event loop, and the rest in turns after it. */
export function createSpread(clock: () => number = () => performance.now()): Spread {
  const waiting: (() => void)[] = [];
  let ends: number | null = null;
  const begin = () => {
    ends = clock() + TURN_MS;
    setImmediate(next);
  };
  const next = () => {
    ends = null;
    if (waiting.length > 0) begin();
    while (waiting.length > 0 && isFree()) waiting.shift()?.();
  };
  const isFree = () => ends !== null && clock() < ends;
  return (work) =>
    new Promise((resolve, reject) => {
      const piece = () => {
        try {
          resolve(work());
        } catch (error) {
          reject(error);
        }
      };
      if (ends === null) begin();
      if (waiting.length === 0 && isFree()) piece();
      else waiting.push(piece);
    });
}

/** Divides a load into turns of the event loop. */
export interface TurnTaker {
  /**
   * Whether the turn has lasted long enough. Costs next to nothing, to be asked at every record; of a long one with its
   * length.
   */
  readonly shouldYield: (characters?: number) => boolean;
  readonly next: () => Promise<void>;
}

const RECORDS_A_LOOK = 16;
/** A record of so many characters takes as long as one more. */
const CHARACTERS_A_RECORD = 8192;

/** A turn does not begin, and rejects with the reason of the signal, once that is aborted. */
export function createTurnTaker(turnMs = LOADING_TURN_MS, signal?: AbortSignal): TurnTaker {
  let start = performance.now();
  let asked = 0;
  return {
    shouldYield: (characters = 0) => {
      asked += 1 + characters / CHARACTERS_A_RECORD;
      if (asked < RECORDS_A_LOOK) return false;
      asked = 0;
      return performance.now() - start > turnMs;
    },
    next: async () => {
      await nextTurn();
      signal?.throwIfAborted();
      start = performance.now();
    },
  };
}

/** Runs steps, each of which works on a text of so many characters; others have their turn in between. */
export async function runSteps<Result>(
  steps: Generator<void, Result, undefined>,
  turns: TurnTaker,
  characters: number,
): Promise<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (turns.shouldYield(characters)) await turns.next();
  }
}

/** Items that are sorted at once. */
const SORTED_AT_ONCE = 1000;

/** A sorted copy of the items, equal ones in their order; others have their turn in between. */
export async function sortInSlices<Item>(
  items: readonly Item[],
  compare: (a: Item, b: Item) => number,
): Promise<readonly Item[]> {
  let runs: Item[][] = await mapInSlices(partsOf(items, SORTED_AT_ONCE), (part) => part.toSorted(compare));
  while (runs.length > 1)
    runs = await mapInSlices(partsOf(runs, 2), async ([a = [], b = []]) =>
      (await mapInSlices(merge(a, b, compare), (part) => part)).flat(),
    );
  return runs[0] ?? [];
}

/** Two sorted lists as one, in parts. */
function* merge<Item>(
  a: readonly Item[],
  b: readonly Item[],
  compare: (a: Item, b: Item) => number,
): Generator<Item[], void, undefined> {
  let part: Item[] = [];
  let at = 0;
  for (const item of a) {
    for (let other = b[at]; other !== undefined && compare(other, item) < 0; other = b[++at])
      part.push(other);
    part.push(item);
    if (part.length < SORTED_AT_ONCE) continue;
    yield part;
    part = [];
  }
  yield part;
  yield b.slice(at);
}

/**
 * `map` of every item in order, one after the other; others have their turn in between. Rejects with the reason of the
 * signal.
 */
export async function mapInSlices<Item, Result>(
  items: Iterable<Item>,
  map: (item: Item, index: number) => Result | Promise<Result>,
  signal?: AbortSignal,
): Promise<Result[]> {
  const results: Result[] = [];
  let end = performance.now() + TURN_MS;
  for (const item of items) {
    const result = map(item, results.length);
    results.push(result instanceof Promise ? await result : result);
    if (performance.now() < end) continue;
    await nextTurn();
    signal?.throwIfAborted();
    end = performance.now() + TURN_MS;
  }
  return results;
}

/** So many short steps of work take a millisecond or so. */
export const STEPS_AT_ONCE = 0x4000;

/**
 * Passes `work` all numbers below `length`, range by range, each in a turn. The loop over a range stands in a function
 * of its own: V8 does not compile a loop of an async function while it runs.
 */
export async function inSlices(
  length: number,
  turns: Turns,
  work: (from: number, to: number) => void,
): Promise<void> {
  for (let from = 0; from < length; from += STEPS_AT_ONCE) {
    await turns.take();
    work(from, Math.min(from + STEPS_AT_ONCE, length));
  }
}
