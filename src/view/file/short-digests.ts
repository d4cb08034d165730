/** Shorter ones would say little to who looks for one. */
const SHORTEST = 8;

/** The start of each digest, as long as it must be to be the start of no other. They are in the order of the whole digests. */
export function shortDigests(digests: readonly string[]): string[] {
  const sorted = [...new Set(digests)].sort();
  const short = new Map(
    sorted.map((digest, i) => {
      const shared = Math.max(sharedStart(digest, sorted[i - 1]), sharedStart(digest, sorted[i + 1]));
      return [digest, startTo(digest, Math.max(SHORTEST, shared + 1))];
    }),
  );
  return digests.map((digest) => short.get(digest) ?? digest);
}

function sharedStart(one: string, other = ""): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  return at;
}

/** A pair of surrogates stays whole. */
function startTo(text: string, end: number): string {
  const splits = (text.codePointAt(end - 1) ?? 0) > 0xffff;
  return text.slice(0, splits ? end + 1 : end);
}
