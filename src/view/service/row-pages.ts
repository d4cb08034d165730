import { nextTurn } from "../rows/input-line.ts";

/** Rows of a page. */
export const PAGE_ROWS = 50;
const MOST_PAGES = 40;
/** Pages are asked for when scrolling rests for so long. */
const REST_MS = 40;

/** Pages of lines around what is seen. */
interface LinePages<Line> {
  readonly at: (place: number) => Line | undefined;
  readonly need: (from: number, to: number, signal: AbortSignal) => Promise<void>;
  /** The place of a line that is there; null without one. */
  readonly find: (isWanted: (line: Line) => boolean) => number | null;
}

type ReadPage<Line> = (page: number, signal: AbortSignal) => Promise<readonly Line[]>;

/** Keeps the last pages that were needed; `first` is there already. */
export function linePages<Line>(first: readonly Line[], read: ReadPage<Line>): LinePages<Line> {
  const kept = new Map<number, readonly Line[]>([[0, first]]);
  const load = sharedLoads(async (page, signal) => {
    keep(kept, page, await read(page, signal));
  });
  return {
    at: (place) => kept.get(Math.floor(place / PAGE_ROWS))?.[place % PAGE_ROWS],
    need: async (from, to, signal) => {
      const pages = pagesOf(from, to);
      for (const page of pages) {
        const lines = kept.get(page);
        if (lines !== undefined) keep(kept, page, lines);
      }
      const absent = pages.filter((page) => !kept.has(page));
      if (absent.length === 0) return;
      await nextTurn(REST_MS);
      signal.throwIfAborted();
      await Promise.all(absent.map((page) => load(page, signal)));
    },
    find: (isWanted) => {
      for (const [page, lines] of kept) {
        const place = lines.findIndex(isWanted);
        if (place !== -1) return page * PAGE_ROWS + place;
      }
      return null;
    },
  };
}

function pagesOf(from: number, to: number): number[] {
  if (to <= from) return [];
  const first = Math.floor(from / PAGE_ROWS);
  return Array.from({ length: Math.floor((to - 1) / PAGE_ROWS) - first + 1 }, (_, i) => first + i);
}

function keep<Line>(kept: Map<number, readonly Line[]>, page: number, lines: readonly Line[]): void {
  kept.delete(page);
  kept.set(page, lines);
  for (const oldest of kept.keys()) if (kept.size > MOST_PAGES) kept.delete(oldest);
}

interface Load {
  readonly done: Promise<void>;
  readonly control: AbortController;
  wanted: number;
}

/** Loads a page once for all who want it, and gives it up when nobody does. */
function sharedLoads(
  run: (page: number, signal: AbortSignal) => Promise<void>,
): (page: number, signal: AbortSignal) => Promise<void> {
  const loads = new Map<number, Load>();
  const start = (page: number): Load => {
    const control = new AbortController();
    const done = run(page, control.signal).finally(() => loads.delete(page));
    const load = { done, control, wanted: 0 };
    loads.set(page, load);
    return load;
  };
  return async (page, signal) => {
    const load = loads.get(page) ?? start(page);
    load.wanted += 1;
    const leave = () => {
      load.wanted -= 1;
      // The next window may want the same page, and says so in the same turn.
      setTimeout(() => {
        if (load.wanted === 0) load.control.abort();
      });
    };
    signal.addEventListener("abort", leave, { once: true });
    try {
      await load.done;
    } finally {
      signal.removeEventListener("abort", leave);
    }
  };
}
