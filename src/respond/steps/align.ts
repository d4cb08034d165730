/** How many items two lists begin with that are alike. */
export function commonLength<Item>(
  a: ArrayLike<Item>,
  b: ArrayLike<Item>,
  valueOf: (item: Item | undefined) => unknown = (item) => item,
): number {
  const most = Math.min(a.length, b.length);
  let at = 0;
  while (at < most && valueOf(a[at]) === valueOf(b[at])) at++;
  return at;
}

/** The items of two lists that stand on one line, by their places; null where one side has none. */
export type AlignedLine = readonly [a: number | null, b: number | null];

/** Of longer middles the table of common lengths would be too large. */
const MOST_ALIGNED = 2000;

/** The lines of two lists of items, and whether their middles were too long to be aligned. */
interface Alignment {
  readonly lines: readonly AlignedLine[];
  readonly isUnaligned: boolean;
}

/** What stands between the common beginning and end of two lists. */
interface Middles {
  readonly start: number;
  readonly endA: number;
  readonly endB: number;
}

/**
 * Puts two lists beside each other, from their heads: equal ones stand on one line; else the head stands alone without
 * which the longest common subsequence of what is left is not shorter, of both the first list's. Where more than 2,000
 * items of a list stand between the common beginning and end, the middle of the first stands before that of the second.
 */
export function align<Item>(a: ArrayLike<Item>, b: ArrayLike<Item>): Alignment {
  const middles = middlesOf(a, b);
  const { start, endA, endB } = middles;
  const isUnaligned = Math.max(endA, endB) - start > MOST_ALIGNED;
  const lines: AlignedLine[] = [];
  while (lines.length < start) lines.push([lines.length, lines.length]);
  let [i, j] = [start, start];
  if (isUnaligned) {
    while (i < endA) lines.push([i++, null]);
    while (j < endB) lines.push([null, j++]);
  } else {
    const isFirstAlone = aloneBy(a, b, middles);
    while (i < endA && j < endB)
      if (a[i] === b[j]) lines.push([i++, j++]);
      else if (isFirstAlone(i, j)) lines.push([i++, null]);
      else lines.push([null, j++]);
  }
  // What is left of one list is now the end of what is left of the other.
  while (i < a.length || j < b.length)
    if (a[i] === b[j]) lines.push([i++, j++]);
    else if (a.length - i > b.length - j) lines.push([i++, null]);
    else lines.push([null, j++]);
  return { lines, isUnaligned };
}

function middlesOf<Item>(a: ArrayLike<Item>, b: ArrayLike<Item>): Middles {
  const start = commonLength(a, b);
  let [endA, endB] = [a.length, b.length];
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) {
    endA--;
    endB--;
  }
  return { start, endA, endB };
}

/** Whether, of two heads that differ, the first list's stands alone: by the lengths of what both have in common. */
function aloneBy<Item>(
  a: ArrayLike<Item>,
  b: ArrayLike<Item>,
  { start, endA, endB }: Middles,
): (i: number, j: number) => boolean {
  const width = endB - start + 1;
  const lengths = new Uint16Array((endA - start + 1) * width);
  const place = (i: number, j: number) => (i - start) * width + j - start;
  const at = (i: number, j: number) => lengths[place(i, j)] ?? 0;
  for (let i = endA - 1; i >= start; i--)
    for (let j = endB - 1; j >= start; j--)
      lengths[place(i, j)] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  return (i, j) => at(i + 1, j) >= at(i, j + 1);
}
