/** The start of a text, cut between characters, so that no half of one is left. */
export function startOf(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const splits = (text.codePointAt(longest - 1) ?? 0) > 0xffff;
  return text.slice(0, splits ? longest - 1 : longest);
}

/** A text cut in the middle: names that begin alike differ at their end. */
export function cutMiddle(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const start = startOf(text, Math.floor(longest / 3));
  const end = text.slice(text.length + start.length + 1 - longest).replace(/^[\udc00-\udfff]/, "");
  return `${start}…${end}`;
}

/** The same with `…` where something is left out. */
export function cutText(text: string, longest: number): string {
  return text.length <= longest ? text : `${startOf(text, longest)}…`;
}
