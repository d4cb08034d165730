import type { Head } from "./head.ts";

interface NearMiss {
  readonly looksSo: (head: Head) => boolean;
  /** What to do, as the end of a sentence about the file. */
  readonly advice: string;
}

const PROMPTFOO_CELLS = ["Status", "Score", "Named Scores"];

/** Files that come close to a log, and what to import in their place. */
const NEAR_MISSES: readonly NearMiss[] = [
  {
    looksSo: ({ bytes }) => bytes.subarray(0, 15).toString("latin1") === "SQLite format 3",
    advice:
      "a promptfoo database? `promptfoo export eval ID -o log.json` writes an evaluation to a file that can be imported",
  },
  {
    looksSo: ({ text }) => text.startsWith("version https://git-lfs.github.com/spec"),
    advice: "this is a pointer of git-lfs, not the file: `git lfs pull` fetches it",
  },
  {
    looksSo: ({ text }) => isPromptfooCsv(text),
    advice: "a CSV file of promptfoo rounds scores to two digits: use `-o log.json` and import that",
  },
  {
    looksSo: ({ text }) => /^evalId:|^results:\s*\n\s+version:/m.test(text.slice(0, 2000)),
    advice: "a YAML file of promptfoo? use `-o log.json` and import that",
  },
  {
    looksSo: ({ text }) => /^\s*<(!doctype html|html)/i.test(text) && /promptfoo/i.test(text),
    advice: "an HTML report of promptfoo holds no scores: use `-o log.json` and import that",
  },
  {
    looksSo: ({ bytes }) => bytes.subarray(0, 4).toString("latin1") === "PK\u0005\u0006",
    advice: "it is an empty zip file",
  },
];

function isPromptfooCsv(text: string): boolean {
  const header = (text.split(/\r?\n/, 1)[0] ?? "").split(",").map((cell) => cell.replaceAll('"', "").trim());
  return header.some(
    (cell, i) => /^\[.+\] /.test(cell) && PROMPTFOO_CELLS.every((name, k) => header[i + 1 + k] === name),
  );
}

/** Whether a file begins as JSON, and its end is no end of JSON: what it was may have stood behind it. */
export function endsEarly({ json, tail }: Head): boolean {
  if (typeof json !== "object" || json === null) return false;
  const end = tail.toString("latin1").trimEnd().at(-1);
  return end !== "}" && end !== "]";
}

/** What to import in the place of a file that is not recognised, where that is known. */
export function adviceFor(head: Head): string | null {
  return NEAR_MISSES.find(({ looksSo }) => looksSo(head))?.advice ?? null;
}

/** Whether a file begins with a call record, as it is to be loaded. */
export function isOfCalls({ firstLine }: Head): boolean {
  return (
    typeof firstLine === "object" &&
    firstLine !== null &&
    ["id", "project_id", "started_at"].every((name) => Object.hasOwn(firstLine, name))
  );
}
