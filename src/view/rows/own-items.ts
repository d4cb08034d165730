/** By item of two lists: 1 where it is in none of the items that both have in the same order, else 0. */
interface OwnItems {
  readonly left: Uint8Array;
  readonly right: Uint8Array;
}

/**
 * The fewest items to leave out of two lists that are equal then; null where these are more than `most`. By Myers: for
 * each number of edits, how far each diagonal leads.
 */
export function ownItems(a: readonly string[], b: readonly string[], most: number): OwnItems | null {
  const reached: Int32Array[] = [];
  let before = new Int32Array();
  for (let edits = 0; edits <= most; edits++) {
    const own = new Int32Array(2 * edits + 1);
    reached.push(own);
    for (let at = 0; at <= 2 * edits; at += 2) {
      const k = at - edits;
      const start = startOf(before, at);
      let x = isSecond(before, at) ? start : start + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      own[at] = x;
      if (x >= a.length && x - k >= b.length) return leftOut(reached, a.length, b.length);
    }
    before = own;
  }
  return null;
}

/** Whether the last edit before a diagonal leaves out an item of the second list; diagonals count from the lowest. */
function isSecond(before: Int32Array, at: number): boolean {
  return at === 0 || (before[at - 2] ?? 0) < (before[at] ?? -1);
}

/** Where in the first list that edit begins. */
function startOf(before: Int32Array, at: number): number {
  return before[isSecond(before, at) ? at : at - 2] ?? 0;
}

function leftOut(reached: readonly Int32Array[], length: number, other: number): OwnItems {
  const [left, right] = [new Uint8Array(length), new Uint8Array(other)];
  let k = length - other;
  for (let edits = reached.length - 1; edits > 0; edits--) {
    const before = reached[edits - 1] ?? new Int32Array();
    const at = k + edits;
    const x = startOf(before, at);
    const second = isSecond(before, at);
    k += second ? 1 : -1;
    if (second) right[x - k] = 1;
    else left[x] = 1;
  }
  return { left, right };
}
