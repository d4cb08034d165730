/** Height of a row in pixels where it is one line; the style says the same. */
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
  /** Pixels below of the last one. */
  readonly below: number;
}

/** Pixels of all rows as far as scrolling goes. */
export function scrolledHeight(count: number, rowHeight: number): number {
  return Math.min(count * rowHeight, HIGHEST);
}

/** The rows around what is seen at `top`, in a box of `height` pixels. */
export function rowWindow(count: number, top: number, height: number, rowHeight: number): RowWindow {
  const size = windowSize(count, height, rowHeight);
  const seen = firstSeen(count, top, height, rowHeight);
  const around = Math.floor((seen - AROUND) / STEP) * STEP;
  const first = Math.max(0, Math.min(around, count - size));
  const above = top - (seen - first) * rowHeight;
  const below = scrolledHeight(count, rowHeight) - above - size * rowHeight;
  return { first, end: first + size, above, below };
}

/** How many rows there are in a window; it does not depend on where it is. */
function windowSize(count: number, height: number, rowHeight: number): number {
  return Math.min(count, Math.ceil(height / rowHeight) + 2 * AROUND + STEP);
}

/** The row at the upper edge, with a fraction where it is partly seen. */
function firstSeen(count: number, top: number, height: number, rowHeight: number): number {
  const [all, high] = [count * rowHeight, scrolledHeight(count, rowHeight)];
  if (all <= high) return top / rowHeight;
  return (top / Math.max(1, high - height)) * (count - height / rowHeight);
}

/** Where to scroll to, at least, so that a row is seen; null where it is. */
export function scrollTo(
  count: number,
  place: number,
  top: number,
  height: number,
  rowHeight: number,
): number | null {
  const seen = firstSeen(count, top, height, rowHeight);
  const rows = height / rowHeight - 1;
  if (place >= seen && place <= seen + rows) return null;
  const wanted = place < seen ? place : place - rows;
  const [all, high] = [count * rowHeight, scrolledHeight(count, rowHeight)];
  if (all <= high) return wanted * rowHeight;
  return (wanted / (count - height / rowHeight)) * (high - height);
}
