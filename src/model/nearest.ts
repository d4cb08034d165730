const LONGEST = 200;
const MOST_WORDS = 20_000;

/**
 * The words that an unknown one may stand for, nearest first: those that become equal, without regard to case, by
 * changing at most a third of the characters (Damerau-Levenshtein distance of optimal string alignment). A part between
 * underscores that is left out counts as one change. Of words that are equally near the first comes first.
 */
export function nearestWords(unknown: string, words: Iterable<string>, most = 5): string[] {
  const wanted = unknown.toLowerCase();
  const near: { readonly word: string; readonly distance: number }[] = [];
  let compared = 0;
  for (const word of words) {
    if (++compared > MOST_WORDS) break;
    const longer = Math.max(word.length, wanted.length);
    const allowed = Math.max(1, Math.floor(longer / 3));
    if (longer > LONGEST || Math.abs(word.length - wanted.length) > allowed) continue;
    const distance = partsLeftOut(wanted, word.toLowerCase()) ?? distanceOf(wanted, word.toLowerCase());
    if (distance <= allowed && distance < longer) near.push({ word, distance });
  }
  return near
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, most)
    .map(({ word }) => word);
}

/** A question to end a message about an unknown word with; empty where no word is near. */
export function didYouMean(unknown: string, words: Iterable<string>): string {
  const [nearest] = nearestWords(unknown, words, 1);
  return nearest === undefined ? "" : `; did you mean ${JSON.stringify(nearest)}?`;
}

/** How many parts of a name are left out in another one, which has no other parts; null where it has. */
function partsLeftOut(name: string, whole: string): number | null {
  const wanted = name.split("_");
  const parts = whole.split("_");
  let found = 0;
  for (const part of parts) if (part === wanted[found]) found++;
  return found === wanted.length ? parts.length - found : null;
}

/** Insertions, deletions, replacements and swaps of neighbours that lead from one word to the other. */
function distanceOf(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(
        Math.min(
          (last[j] ?? 0) + 1,
          (row[j - 1] ?? 0) + 1,
          (last[j - 1] ?? 0) + (same ? 0 : 1),
          swapped ? (before[j - 2] ?? 0) + 1 : Infinity,
        ),
      );
    }
    before = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
