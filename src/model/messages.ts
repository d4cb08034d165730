/** The error of a failed call that states no exception. */
export const NO_OUTPUT = "no output";
/** The error of an evaluation that its signal ended. */
export const CANCELLED = "Cancelled";

const MOST = 80;

/** A value as a message shows it: JSON, cut at 80 characters. Of a large one only the beginning is looked at. */
export function shown(value: unknown): string {
  const text = beginning(value, MOST + 1);
  if (text.length <= MOST) return text;
  return `${text.slice(0, MOST)}…${typeof value === "string" ? '"' : ""}`;
}

/**
 * At least so many characters of the JSON text of a value, where it has as many; deeper ones count too, so that this
 * ends.
 */
function beginning(value: unknown, least: number): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, Math.max(0, least)));
  if (typeof value === "function") return "a function";
  if (typeof value !== "object" || value === null) return String(value);
  const isList = Array.isArray(value);
  let text = "";
  for (const [name, inner] of least > 0 ? members(value, least) : []) {
    const label = isList ? "" : `${JSON.stringify(name.slice(0, least))}:`;
    text += `${text === "" ? "" : ","}${label}`;
    text += beginning(inner, least - text.length - 1);
    if (text.length > least) break;
  }
  return isList ? `[${text}]` : `{${text}}`;
}

function members(value: object, most: number): (readonly [string, unknown])[] {
  if (Array.isArray(value)) return value.slice(0, most).map((item: unknown) => ["", item]);
  const names: string[] = [];
  for (const name in value) if (names.push(name) >= most) break;
  return names.map((name) => [name, (value as Record<string, unknown>)[name]]);
}

const NAMES_SHOWN = 12;
const LONGEST_NAME = 40;

/** The first so many texts, and how many more there are. */
export function firstAndMore(texts: readonly string[], shownTexts: number): string {
  const more = texts.length - shownTexts;
  return [...texts.slice(0, shownTexts), ...(more > 0 ? [`${more} more`] : [])].join(", ");
}

/** A count with its noun: `1 row`, `1319 rows`. */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** Quotes a text as one word of a POSIX shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Names for a message: the first twelve, each as `told` has it; else cut after 40 characters. */
export function nameList(names: readonly string[], told = cutName): string {
  const first = names.slice(0, NAMES_SHOWN).map((name) => told(name));
  const more = names.length - first.length;
  return [...first, ...(more > 0 ? [`… (${more} more)`] : [])].join(", ");
}

function cutName(name: string): string {
  return name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1)}…` : name;
}

/**
 * Where a text stops being JSON, as the end of a sentence: `: line 3, column 12`. Of the parser's message only the
 * position is used, since the rest quotes the text.
 */
export function jsonFault(text: string, error: unknown): string {
  if (text.trim() === "") return ": it is empty";
  if (endsEarly(text, error)) return ": it ends too early";
  const position = positionOf(error) ?? (text.length > SEARCHED_LENGTH ? undefined : searchFault(text));
  if (position === undefined) return "";
  const lines = text.slice(0, position).split("\n");
  return `: line ${lines.length}, column ${(lines.at(-1) ?? "").length + 1}`;
}

/** A longer text would take too long to parse again and again. */
const SEARCHED_LENGTH = 128 * 1024;

/**
 * The end of the longest beginning that is no fault but for its end, since the parser names no place where it shows a
 * token.
 */
function searchFault(text: string): number {
  let [right, wrong] = [0, text.length];
  while (wrong - right > 1) {
    const middle = (right + wrong) >> 1;
    if (isBeginning(text.slice(0, middle))) right = middle;
    else wrong = middle;
  }
  return right;
}

function isBeginning(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    return endsEarly(text, error);
  }
}

function endsEarly(text: string, error: unknown): boolean {
  return (
    (error instanceof Error && error.message.includes("end of JSON")) || positionOf(error) === text.length
  );
}

function positionOf(error: unknown): number | undefined {
  const position = error instanceof Error ? /at position (\d+)/.exec(error.message)?.[1] : undefined;
  return position === undefined ? undefined : Number(position);
}

/** What the codes of the operating system mean. */
const MEANINGS: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "no such file"],
  ["ENOTDIR", "a part of its path is a file, not a folder"],
  ["EISDIR", "it is a folder"],
  ["EEXIST", "there is a file already"],
  ["EACCES", "permission denied"],
  ["EPERM", "not permitted"],
  ["EROFS", "the disk is read-only"],
  ["ENOSPC", "no space is left on the disk"],
  ["EDQUOT", "the disk quota is used up"],
  ["EMFILE", "too many files are open; ulimit -n 1024 allows more"],
  ["ENFILE", "too many files are open on this machine"],
  ["ELOOP", "a symbolic link leads back to itself"],
  ["ENAMETOOLONG", "the name is too long"],
  ["EBUSY", "it is in use"],
  ["EFBIG", "file too large"],
  ["EIO", "the disk reported an error"],
  ["EPIPE", "the reader has gone"],
  ["EADDRINUSE", "the port is in use"],
  ["EADDRNOTAVAIL", "this machine has no such address"],
  ["ENOTFOUND", "there is no such host"],
]);

/** What went wrong with a file or a port, in words. */
export function fileFault(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error ? String(error.code) : "";
  return MEANINGS.get(code) ?? error.message;
}

/** How a text is changed: a pattern of RE2, and what stands instead of each of its matches. */
interface TextStep {
  readonly pattern: string;
  readonly by: string;
}

const UUID = String.raw`\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b`;
const HEXADECIMAL = String.raw`\b(?:0[xX][0-9a-fA-F]+|[0-9a-fA-F]{8,})\b`;
/** A number before a unit is no status. */
const MEASURED = String.raw`\b\d+(?:[.,]\d+)*(?:[eE][+-]?\d+)?( (?:ms|s|sec|seconds?|minutes?|tokens|bytes|characters)\b)`;
/** A status, a whole number from 400 to 599 that stands alone, is the group of its match. */
const NUMBER = String.raw`\d+(?:[.,]\d+)+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\b([45]\d\d)\b|\d+`;

/**
 * What makes one text of errors that differ in ids, times and counts alone, step by step. JavaScript and both databases
 * read the patterns alike. After the numbers, digits are left in statuses only.
 */
export const ERROR_STEPS: readonly TextStep[] = [
  { pattern: String.raw`^[ \t\r\n\f\v]+|[\r\n][\s\S]*$`, by: "" },
  { pattern: String.raw`[ \t\f\v]+`, by: " " },
  { pattern: `${UUID}|${HEXADECIMAL}`, by: "#" },
  { pattern: MEASURED, by: String.raw`#\1` },
  { pattern: NUMBER, by: String.raw`\1#` },
  { pattern: String.raw`(\d\d\d)#`, by: String.raw`\1` },
  { pattern: " $", by: "" },
];

/** Characters that a grouped text has at most. */
export const MOST_ERROR_CHARACTERS = 200;

/** The text of a failed call that has an exception without a letter. */
export const NO_MESSAGE = "no message";

/** The text by which an error is grouped with others; null for none: `Error: 429 after # ms`. */
export function groupedError(stated: string | null): string | null {
  if (stated === null) return null;
  const alike = ERROR_STEPS.reduce(
    (before, { pattern, by }) => before.replace(new RegExp(pattern, "g"), by.replace("\\", "$")),
    stated,
  );
  return Array.from(alike).slice(0, MOST_ERROR_CHARACTERS).join("") || NO_MESSAGE;
}
