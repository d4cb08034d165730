/** An incomplete event longer than this is passed on as it comes. */
export const MAX_HELD_BYTES = 4 * 1024 * 1024;

/** Cuts a byte stream at the ends of server-sent events, holding back only the incomplete tail. */
export interface EventSplitter {
  /** The events that `chunk` completes, each with its closing blank line, byte for byte. */
  push(chunk: Buffer): Buffer[];
  /** What is held back: the start of an event that has not ended. */
  tail(): Buffer;
  /** Gives up the tail: it has been passed on, or will never be. */
  dropTail(): Buffer;
}

/** Lines end in LF or CRLF; a blank line ends an event. */
export function createEventSplitter(): EventSplitter {
  let held: Buffer = Buffer.alloc(0);
  let scanned = 0;
  return {
    push(chunk) {
      const data = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      const events: Buffer[] = [];
      let start = 0;
      let feed = data.indexOf(0x0a, scanned);
      while (feed >= 0) {
        const end = blankLineEnd(data, feed);
        if (end > 0) {
          events.push(data.subarray(start, end));
          start = end;
        }
        feed = data.indexOf(0x0a, Math.max(end, feed + 1));
      }
      held = data.subarray(start);
      // The last bytes may be the first half of a blank line.
      scanned = Math.max(0, held.length - 3);
      return events;
    },
    tail: () => held,
    dropTail() {
      const dropped = held;
      held = Buffer.alloc(0);
      scanned = 0;
      return dropped;
    },
  };
}

/** Given a line feed, the offset just after the blank line that follows it, or 0. */
function blankLineEnd(data: Buffer, feed: number): number {
  if (data[feed + 1] === 0x0a) return feed + 2;
  return data[feed + 1] === 0x0d && data[feed + 2] === 0x0a ? feed + 3 : 0;
}

/** The `data` of an event, lines joined; `undefined` for comments and other fields alone. */
export function eventData(event: string): string | undefined {
  const lines = event.split(/\r?\n/).filter((line) => line.startsWith("data:"));
  if (lines.length === 0) return undefined;
  return lines.map((line) => line.slice(line[5] === " " ? 6 : 5)).join("\n");
}

/** `data: [DONE]` that lacks its blank line: nothing can follow it. */
export function isDoneEvent(tail: Buffer): boolean {
  return tail.length < 20 && /^data: ?\[DONE\]\r?\n?$/.test(tail.toString("latin1"));
}

/** An event that lacks nothing but its blank line: its data is whole JSON, or `[DONE]`. */
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
