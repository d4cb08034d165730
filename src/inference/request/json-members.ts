/** One member of a JSON object: its name and the range of its value in the text. */
export interface JsonMember {
  readonly key: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Returns the members of the outermost object in order, including duplicates. `text` must be a JSON object that
 * `JSON.parse` accepts; it is not checked again. Values are located, never rebuilt, so digits survive.
 */
export function scanMembers(text: string): JsonMember[] {
  const members: JsonMember[] = [];
  let at = skipSpace(text, skipSpace(text, 0) + 1);
  while (text[at] === '"') {
    const keyEnd = stringEnd(text, at);
    const key = JSON.parse(text.slice(at, keyEnd)) as string;
    const start = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const end = valueEnd(text, start);
    members.push({ key, start, end });
    at = skipSpace(text, end);
    if (text[at] === ",") at = skipSpace(text, at + 1);
  }
  return members;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && " \t\n\r".includes(text.charAt(at))) at++;
  return at;
}

/** The offset just after the closing quote of the string that opens at `from`. */
function stringEnd(text: string, from: number): number {
  let at = from;
  for (;;) {
    at = text.indexOf('"', at + 1);
    let slashes = 0;
    while (text[at - 1 - slashes] === "\\") slashes++;
    if (slashes % 2 === 0) return at + 1;
  }
}

function valueEnd(text: string, from: number): number {
  const first = text[from];
  if (first === '"') return stringEnd(text, from);
  if (first === "{" || first === "[") return containerEnd(text, from);
  let at = from;
  while (at < text.length && !",}] \t\n\r".includes(text.charAt(at))) at++;
  return at;
}

function containerEnd(text: string, from: number): number {
  const token = /["{}[\]]/g;
  let depth = 0;
  let at = from;
  do {
    token.lastIndex = at;
    const match = token.exec(text);
    if (match === null) return text.length;
    at = match.index + 1;
    if (match[0] === '"') at = stringEnd(text, match.index);
    else depth += match[0] === "{" || match[0] === "[" ? 1 : -1;
  } while (depth > 0);
  return at;
}

/** A replacement of a range of text; `start === end` inserts. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Replaces ranges of `text`, which must not overlap; the rest is unchanged. */
export function applySplices(text: string, splices: readonly Splice[]): string {
  const ordered = [...splices].sort((a, b) => a.start - b.start);
  let result = "";
  let at = 0;
  for (const splice of ordered) {
    result += text.slice(at, splice.start) + splice.text;
    at = splice.end;
  }
  return result + text.slice(at);
}
