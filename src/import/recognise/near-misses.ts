import { nameList } from "../../model/messages.ts";
import type { Head } from "./head.ts";
import { hasMembers, isPrefixObject, type Prefix } from "./json-prefix.ts";

interface NearMiss {
  readonly looksSo: (head: Head) => boolean;
  /** What to do, as the end of a sentence about the file. */
  readonly advice: string;
}

const PROMPTFOO_CELLS = ["Status", "Score", "Named Scores"];

const NO_TRIALS = "holds figures and no trials: import the file that has a record for each answer";

const DEEPEVAL_FILES =
  ".latest_run_full.json beside it, or a file of the folder that DEEPEVAL_RESULTS_FOLDER names";

/** Whether a file is a compound of streams, as Microsoft's programs wrote them, and have them for what is encrypted. */
const isCompound = ({ bytes }: Head) => bytes.subarray(0, 8).toString("hex") === "d0cf11e0a1b11ae1";

/** Whether a stream of such a file has a name. */
function holdsName({ bytes, tail }: Head, name: string): boolean {
  const written = Buffer.from(name, "utf16le");
  return bytes.includes(written) || tail.includes(written);
}

/** Files that come close to a log, and what to import in their place. */
const NEAR_MISSES: readonly NearMiss[] = [
  {
    looksSo: ({ bytes }) => isSqlite(bytes) && !/eval_results|evals_to_/.test(bytes.toString("latin1")),
    advice: "an SQLite database is not read: export its table as CSV",
  },
  {
    looksSo: ({ bytes }) => isSqlite(bytes),
    advice:
      "a promptfoo database? `promptfoo export eval ID -o log.json` writes an evaluation to a file that can be imported",
  },
  {
    looksSo: (head) => isCompound(head) && holdsName(head, "EncryptedPackage"),
    advice: "this is a workbook with a password: save it without one, or as CSV",
  },
  {
    looksSo: isCompound,
    advice: "this is a workbook of an old format (.xls): save it as .xlsx or CSV",
  },
  {
    looksSo: ({ zip }) => zip?.has("content.xml") === true && zip.has("META-INF/manifest.xml"),
    advice: "this is an OpenDocument file (.ods): save it as .xlsx or CSV",
  },
  {
    looksSo: ({ zip }) => zip?.has("xl/workbook.bin") === true,
    advice: "this is a binary workbook (.xlsb): save it as .xlsx or CSV",
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
    looksSo: ({ text }) => /^evalId:|^results:[^\S\n]*\n\s+version:/m.test(text.slice(0, 2000)),
    advice: "a YAML file of promptfoo? use `-o log.json` and import that",
  },
  {
    looksSo: ({ text }) => /^\s*<(!doctype html|html)/i.test(text) && /promptfoo/i.test(text),
    advice: "an HTML report of promptfoo holds no scores: use `-o log.json` and import that",
  },
  {
    looksSo: ({ json }) => isListOfHeaders(json),
    advice:
      "headers of logs, as the viewer of Inspect lists them, hold figures and no trials: import the logs",
  },
  {
    looksSo: ({ json, text }) => isTableOfMeans(json, text),
    advice: `a table of means ${NO_TRIALS}`,
  },
  {
    looksSo: ({ json, firstLine, text }) =>
      isPrefixObject(json) &&
      holdsFiguresOnly(json, 0) &&
      (firstLine === undefined || !text.trim().includes("\n")),
    advice: `an object of means by name ${NO_TRIALS}`,
  },
  {
    looksSo: ({ json }) => hasMembers(json, "testRunLink") && !isPrefixObject(objectOf(json)["testRunData"]),
    advice: `it holds only the link to a test run of DeepEval: import ${DEEPEVAL_FILES}`,
  },
  {
    looksSo: ({ json }) => hasMembers(json, "test_cases_lookup_map"),
    advice: `the cache of DeepEval knows no run: import ${DEEPEVAL_FILES}`,
  },
  {
    looksSo: ({ zip, bytes }) =>
      zip?.has("xl/workbook.xml") === true || bytes.subarray(0, 8).toString("hex") === "d0cf11e0a1b11ae1",
    advice: "a workbook of Excel is not read: save its sheet as CSV",
  },
  {
    looksSo: ({ text }) => /^\[?\s*\{'/.test(text.trimStart()),
    advice: "it is what Python prints, and no JSON: write it with json.dumps",
  },
  {
    looksSo: ({ json, text }) => isPrefixObject(json) && /^\}\s*\n\{/m.test(text),
    advice: "it holds JSON objects of several lines one after another: write one a line, as jq -c does",
  },
  {
    looksSo: ({ bytes }) => bytes.subarray(257, 262).toString("latin1") === "ustar",
    advice: "a tar archive is not opened: unpack it, and import the folder",
  },
  {
    looksSo: ({ bytes }) => bytes.subarray(0, 4).toString("latin1") === "PK\u0005\u0006",
    advice: "it is an empty zip file",
  },
];

const isSqlite = (bytes: Buffer) => bytes.subarray(0, 15).toString("latin1") === "SQLite format 3";

const isNested = (value: Prefix) => typeof value === "object" && value !== null;

const objectOf = (json: Prefix | undefined) => (isPrefixObject(json) ? json : {});

/** `logs.json` of a bundle of logs: a header by the name of each. */
function isListOfHeaders(json: Prefix | undefined): boolean {
  const [name = "", first] = Object.entries(objectOf(json))[0] ?? [];
  return /\.(eval|json)$/.test(name) && isPrefixObject(first) && ("eval" in first || "task" in first);
}

/** Names of columns that a table of means has: nothing tells what was asked. */
const OF_MEANS =
  /^(model|model_name|task|benchmark|dataset|split|subset|filter|version|n_shots?|metric|metric_name|scorer|score|value|mean|std|stddev|stderr|n|count|ci_low|ci_high|lower|upper|)$/;

function isTableOfMeans(json: Prefix | undefined, text: string): boolean {
  const [first] = Array.isArray(json) ? json : [json];
  const cells = isPrefixObject(first) ? Object.keys(first) : headerCells(text);
  const names = cells.map((cell) => cell.toLowerCase());
  const has = (...some: readonly string[]) => some.some((name) => names.includes(name));
  return (
    has("metric", "metric_name", "scorer") &&
    has("score", "value", "mean") &&
    names.every((name) => OF_MEANS.test(name))
  );
}

/** Whether all that an object holds are numbers by name, at least two levels deep. */
function holdsFiguresOnly(object: { readonly [name: string]: Prefix }, depth: number): boolean {
  const values = Object.values(object);
  const isFigures = (value: Prefix) =>
    isPrefixObject(value)
      ? depth < 3 && holdsFiguresOnly(value, depth + 1)
      : depth > 0 && typeof value === "number";
  return values.length > 0 && values.every(isFigures);
}

function headerCells(text: string): string[] {
  return (text.split(/\r?\n/, 1)[0] ?? "").split(/[,;\t|]/).map((cell) => cell.replaceAll('"', "").trim());
}

function isPromptfooCsv(text: string): boolean {
  const [line = ""] = text.split(/\r?\n/, 1);
  const header = line.split(",").map((cell) => cell.replaceAll('"', "").trim());
  // Prompts of version 1 are JSON in the header.
  if (/\{""(raw|display)"":/.test(line)) return true;
  return header.some(
    (cell, i) => /^\[.+\] /.test(cell) && PROMPTFOO_CELLS.every((name, k) => header[i + 1 + k] === name),
  );
}

/** What to import in the place of a file that is not recognised, where that is known. */
export function adviceFor(head: Head): string | null {
  return NEAR_MISSES.find(({ looksSo }) => looksSo(head))?.advice ?? null;
}

/** What a file that is not recognised holds, as the end of a sentence about it. */
export function whyUnrecognised(head: Head): string {
  const { size, json, text, firstLine } = head;
  const advice = adviceFor(head);
  if (advice !== null) return advice;
  if (size === 0 || (text !== "" && text.trim() === "")) return "is empty";
  if (isDamaged(head))
    return "is JSON that ends in the middle, so its format is not recognised; the file is truncated";
  if (isCall(firstLine)) return "holds calls, which evalcube ingest loads (in a program, ingestCalls)";
  const none = "is none of the formats that can be imported";
  if (isPrefixObject(json) && Object.keys(json).length > 0 && Object.values(json).every(isNested))
    return `${none}: an object with ${nameList(Object.keys(json))}; records or columns by name are no table, a list of records is (in pandas, to_json(orient="records"))`;
  if (isPrefixObject(json)) return `${none}: an object with ${nameList(Object.keys(json)) || "no members"}`;
  if (Array.isArray(json))
    return json.length === 0
      ? "is an empty list"
      : `${none}: a list whose first is ${JSON.stringify(json[0] ?? null).slice(0, 80)}`;
  const first = text.trimStart().split(/[\r\n]/, 1)[0] ?? "";
  return /[^\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}\t]/u.test(first) || text.includes("\0")
    ? `${none}: its bytes are no text in UTF-8, or in UTF-16 with its mark`
    : `${none}: it ${/^[^,;\t|]+[,;\t|].*$/.test(text.trim()) ? "has one line and no records:" : "begins with"} ${nameList(first.split(/[,;\t|]/).map((cell) => cell.trim()))}`;
}

/** Whether a file begins as a JSON object, and its end is no end of JSON: what it was may have stood behind it. */
export function isDamaged({ json, tail }: Head): boolean {
  if (!isPrefixObject(json) || Object.keys(json).length === 0) return false;
  const end = tail.toString("latin1").trimEnd().at(-1);
  return end !== "}" && end !== "]";
}

/** Whether a record is a call, as it is to be loaded. */
function isCall(record: Prefix | undefined): boolean {
  return hasMembers(record, "id", "project_id", "started_at");
}
