/** Height of a table row in pixels; the style says the same. */
export const ROW_HEIGHT = 33;
/** Rows of a window above and below those that are seen. */
const AROUND = 12;
/** A window moves in steps of so many rows. */
const STEP = 6;

/** Browsers make no higher elements. */
const HIGHEST = 12_000_000;

/** Where the rows of a table stand within what scrolls. */
interface RowWindow {
  readonly first: number;
  /** The place behind the last. */
  readonly end: number;
  /** Pixels above of the first row; fewer than none at the top of a list that is longer than can be scrolled. */
  readonly above: number;
}

/** Pixels of all rows as far as scrolling goes. */
export function scrolledHeight(count: number): number {
  return Math.min(count * ROW_HEIGHT, HIGHEST);
}

/** The rows around what is seen at `top`, in a box of `height` pixels. */
export function rowWindow(count: number, top: number, height: number): RowWindow {
  const size = windowSize(count, height);
  const seen = firstSeen(count, top, height);
  const around = Math.floor((seen - AROUND) / STEP) * STEP;
  const first = Math.max(0, Math.min(around, count - size));
  return { first, end: first + size, above: top - (seen - first) * ROW_HEIGHT };
}

/** How many rows there are in a window; it does not depend on where it is. */
function windowSize(count: number, height: number): number {
  return Math.min(count, Math.ceil(height / ROW_HEIGHT) + 2 * AROUND + STEP);
}

/** The row at the upper edge, with a fraction where it is partly seen. */
function firstSeen(count: number, top: number, height: number): number {
  const [all, high] = [count * ROW_HEIGHT, scrolledHeight(count)];
  if (all <= high) return top / ROW_HEIGHT;
  return (top / Math.max(1, high - height)) * (count - height / ROW_HEIGHT);
}

/** Where to scroll to, at least, so that a row is seen; null where it is. */
export function scrollTo(count: number, place: number, top: number, height: number): number | null {
  const seen = firstSeen(count, top, height);
  const rows = height / ROW_HEIGHT - 1;
  if (place >= seen && place <= seen + rows) return null;
  const wanted = place < seen ? place : place - rows;
  const [all, high] = [count * ROW_HEIGHT, scrolledHeight(count)];
  if (all <= high) return wanted * ROW_HEIGHT;
  return (wanted / (count - height / ROW_HEIGHT)) * (high - height);
}
