import { visible } from "./visible.ts";

/** Longest text of a cell or sentence part that comes from data. */
const LONGEST = 200;

/** Characters that mean something to some reader of Markdown or HTML, or to a tracker: mentions, issues, formulas. */
const SPECIAL = /[\\|`*_[\]<>~&$]|[@#!](?=\S)|:(?=\/\/)|(?<=www)\./gi;
/** After these a reader looks for a name in the finished page, so an invisible space keeps the name apart. */
const REFERS = new Set(["@", "#", "!"]);

/** Escapes a text so that every reader of Markdown shows it as it is, on one line. */
export function escapeMarkdown(text: string, longest = LONGEST): string {
  const points = Array.from(visible(text));
  const short = points.length <= longest ? points : [...points.slice(0, longest - 1), "…"];
  return short
    .join("")
    .replaceAll(SPECIAL, (one) => `&#${one.codePointAt(0)};${REFERS.has(one) ? "&#8203;" : ""}`);
}
