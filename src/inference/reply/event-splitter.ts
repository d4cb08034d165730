/** A longer incomplete event is passed on in parts as they arrive. */
export const MAX_HELD_BYTES = 4 * 1024 * 1024;

/** A run of whole events. */
export interface EventRun {
  /** One event in the pieces in which it arrived, or any number of events in a single piece. */
  readonly pieces: readonly Buffer[];
  /** The end offset of each event, just after its blank line; the last is the total length of the pieces. */
  readonly ends: readonly number[];
}

const NOTHING = Buffer.alloc(0);

/**
 * Splits a byte stream at the ends of server-sent events and holds back only the incomplete tail. Lines end in LF or
 * CRLF; a blank line ends an event.
 */
export function createEventSplitter() {
  let held: Buffer[] = [];
  let heldBytes = 0;
  /** The last two bytes of the event under way, which may be the first half of a blank line. */
  let last: Buffer = NOTHING;
  const hold = (piece: Buffer) => {
    if (piece.length > 0) held.push(piece);
    heldBytes += piece.length;
    last = Buffer.concat([last, piece.subarray(-2)]).subarray(-2);
  };
  const takeTail = () => {
    const tail = held;
    held = [];
    heldBytes = 0;
    return tail;
  };
  return {
    /** Returns the events that `chunk` completes, byte for byte and without copying. */
    push(chunk: Buffer) {
      const runs: EventRun[] = [];
      const first = last.length > 0 ? firstEnd(last, chunk) : 0;
      if (first > 0) {
        hold(chunk.subarray(0, first));
        runs.push({ ends: [heldBytes], pieces: takeTail() });
        last = NOTHING;
      }
      const ends = last.length > 0 ? [] : endsFrom(chunk, first);
      const end = ends.at(-1) ?? first;
      if (ends.length > 0)
        runs.push({ pieces: [chunk.subarray(first, end)], ends: ends.map((at) => at - first) });
      hold(chunk.subarray(end));
      return runs;
    },
    /** Number of bytes held back, which are the start of an incomplete event. */
    get heldBytes() {
      return heldBytes;
    },
    /** Returns the bytes held back. */
    tail: () => Buffer.concat(held),
    /** Returns the bytes held back and forgets them; the rest of their event will arrive as an event of its own. */
    takeTail,
  };
}

/** The offset at which the first event of `chunk` ends, given the last bytes before it; 0 when it does not end. */
function firstEnd(before: Buffer, chunk: Buffer): number {
  const seam = Buffer.concat([before, chunk.subarray(0, 2)]);
  for (let at = 0; at < before.length; at++) {
    const end = seam[at] === LINE_FEED ? blankLineEnd(seam, at) - before.length : 0;
    if (end > 0) return end;
  }
  for (let feed = chunk.indexOf(LINE_FEED); feed >= 0; feed = chunk.indexOf(LINE_FEED, feed + 1)) {
    const end = blankLineEnd(chunk, feed);
    if (end > 0) return end;
  }
  return 0;
}

function endsFrom(chunk: Buffer, from: number): number[] {
  const ends: number[] = [];
  for (let feed = chunk.indexOf(LINE_FEED, from); feed >= 0;) {
    const end = blankLineEnd(chunk, feed);
    if (end > 0) ends.push(end);
    feed = chunk.indexOf(LINE_FEED, Math.max(end, feed + 1));
  }
  return ends;
}

const LINE_FEED = 0x0a;
const RETURN = 0x0d;

/** The offset just after the blank line that follows the line feed at `feed`; 0 when none follows. */
function blankLineEnd(data: Buffer, feed: number): number {
  if (data[feed + 1] === LINE_FEED) return feed + 2;
  return data[feed + 1] === RETURN && data[feed + 2] === LINE_FEED ? feed + 3 : 0;
}

/** The `data` of an event with its lines joined; `undefined` for an event of comments and other fields only. */
export function eventData(event: string): string | undefined {
  const lines = event.split(/\r?\n/).filter((line) => line.startsWith("data:"));
  if (lines.length === 0) return undefined;
  return lines.map((line) => line.slice(line[5] === " " ? 6 : 5)).join("\n");
}

/** Whether the tail is `data: [DONE]` without its blank line; nothing can follow it. */
export function isDoneEvent(tail: Buffer): boolean {
  return /^data: ?\[DONE\]\r?\n?$/.test(tail.toString("latin1"));
}

/** Whether the tail is an event that lacks only its blank line: its data is whole JSON, or `[DONE]`. */
export function isWholeEvent(tail: Buffer): boolean {
  const data = eventData(tail.toString("utf8"));
  if (data === undefined || data === "[DONE]") return data !== undefined;
  try {
    JSON.parse(data);
    return true;
  } catch {
    return false;
  }
}
