/** Orders dimensions by scorer key, then by path, null first; text by code point. */
export function compareDimensions(a: readonly string[], b: readonly string[]): number {
  const byKey = compareText(a[0] ?? "", b[0] ?? "");
  if (byKey !== 0) return byKey;
  if (a.length === 1 || b.length === 1) return Math.min(a.length, 2) - Math.min(b.length, 2);
  return (
    compareText(a.slice(1).join("."), b.slice(1).join(".")) ||
    a.length - b.length ||
    compareText(JSON.stringify(a), JSON.stringify(b))
  );
}

/** Orders texts by code point. */
export function compareText(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
