import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NO_BOOK } from "../../src/import/check/score-book.ts";
import { table } from "../../src/import/formats/table/table.ts";
import { SourceFault } from "../../src/import/read/fault.ts";
import { memoryFile } from "../../src/import/read/source-file.ts";
import { NOWHERE, readHead } from "../../src/import/recognise/head.ts";
import type { LogTrial } from "../../src/import/translate/log-parts.ts";
import { importBytes } from "./imports.ts";
import { sharedEngine } from "./shared.ts";

const SEED = Number(process.env["SEED"] ?? 505);
const SCENARIOS = Number(process.env["SCENARIOS"] ?? 300);
const options = { seed: SEED, numRuns: SCENARIOS, endOnFailure: process.env["SHRINK"] === undefined };

const engine = await sharedEngine();

/** What a cell means, and how it is written. */
interface Cell {
  readonly kind: "number" | "truth" | "text" | "none";
  readonly value: number | boolean | string | null;
}

interface Column {
  readonly name: string;
  readonly cells: readonly Cell[];
}

const SCORES = [
  "score",
  "judge_quality",
  "faithfulness",
  "Exact Match",
  "context_recall",
  "isRight",
  "final_grade",
];
const NUMBERS = [
  "weight",
  "answer_index",
  "doc_count",
  "k",
  "temperature",
  "score_threshold",
  "turn",
  "grade_total",
];
const OTHERS = ["latency_ms", "total_tokens", "cost_usd", "reviewer", "note", "category", "question", "pred"];
const JUNK = ["judge failed", "error: timeout", "see log", "n.a.", "5 of 7"];

const number = fc
  .oneof(
    fc.integer({ min: 0, max: 100 }),
    fc.integer({ min: 0, max: 1000 }).map((one) => one / 1000),
  )
  .map((value): Cell => ({ kind: "number", value }));
const truth = fc.boolean().map((value): Cell => ({ kind: "truth", value }));
const text = fc.constantFrom(...JUNK).map((value): Cell => ({ kind: "text", value }));
const none = fc.constantFrom("", "NA", "null", "-").map((value): Cell => ({ kind: "none", value }));

const cells = fc
  .constantFrom(
    fc.oneof(
      { weight: 8, arbitrary: number },
      { weight: 1, arbitrary: text },
      { weight: 1, arbitrary: none },
    ),
    fc.oneof({ weight: 8, arbitrary: truth }, { weight: 1, arbitrary: none }, { weight: 1, arbitrary: text }),
    fc.oneof({ weight: 1, arbitrary: number }, { weight: 2, arbitrary: text }),
    fc.oneof(number, truth, text, none),
  )
  .chain((cell) => fc.array(cell, { minLength: 6, maxLength: 6 }));
const columns = fc.uniqueArray(
  fc.record({ name: fc.constantFrom(...SCORES, ...NUMBERS, ...OTHERS), cells }),
  { minLength: 1, maxLength: 6, selector: ({ name }) => name },
);
const tables = fc.record({ columns, length: fc.integer({ min: 1, max: 6 }), isCsv: fc.boolean() });

function written(made: readonly Column[], length: number, isCsv: boolean): string {
  const records = Array.from({ length }, (_, at) => made.map(({ cells: all }) => all[at]?.value ?? null));
  const names = ["id", ...made.map(({ name }) => name)];
  if (isCsv)
    return [names, ...records.map((one, at) => [`r${at}`, ...one])].map((one) => one.join(",")).join("\n");
  return records
    .map((one, at) =>
      JSON.stringify(Object.fromEntries(names.map((name, i) => [name, i === 0 ? `r${at}` : one[i - 1]]))),
    )
    .join("\n");
}

const never = () => Promise.reject(new Error("a table is one file"));

/** What is read of a table: its trials in order, and what is told. */
async function read(content: string) {
  const file = memoryFile(Buffer.from(content), "made");
  const head = await readHead(file, NOWHERE, false);
  const context = {
    book: NO_BOOK,
    refuse: (fault: SourceFault) => {
      throw fault;
    },
    refused: () => 0,
    allMetrics: false,
    table: {},
    project: "acme/qa",
    checkRecord: () => {},
    readParquet: () => {
      throw new Error("no table is Parquet");
    },
  };
  const trials: LogTrial[] = [];
  const told: string[] = [];
  const log = { file, head, beside: never, nearby: () => Promise.resolve(null), parts: [] };
  for await (const item of table.read(log, context)) {
    if (item.kind === "trial") trials.push(item.trial);
    else if (item.kind === "note" || item.kind === "mapping") told.push(item.text);
  }
  return { trials, told };
}

const countOf = (some: readonly Cell[], ...kinds: readonly Cell["kind"][]) =>
  some.filter(({ kind }) => kinds.includes(kind)).length;

/** What is wrong with how a column was read; empty where nothing is. */
function faultsOf({ name, cells: all }: Column, trials: readonly LogTrial[], told: string): string[] {
  const own = all.slice(0, trials.length);
  const isScore = trials.some(({ scores }) => Object.hasOwn(scores, name));
  const values = countOf(own, "number", "truth", "text");
  const isOfTruths = countOf(own, "number") === 0 && countOf(own, "truth") * 2 >= values && values > 0;
  const faults: string[] = [];
  if (!told.includes(name)) faults.push("is not told");
  if (isScore && !SCORES.includes(name) && !isOfTruths) faults.push("is a score without evidence");
  const isOfNumbers = countOf(own, "number") > 0 && countOf(own, "number", "truth") * 2 >= values;
  for (const [at, { kind, value }] of own.entries()) {
    const { scores, details, row, output, prediction, cost } = trials[at] ?? ({} as LogTrial);
    if (kind === "number" && isScore && isOfNumbers && scores[name] !== value) faults.push(`loses ${value}`);
    if (kind === "number" && isScore && !isOfNumbers && scores[name] !== value) {
      const kept = JSON.stringify([scores[name], details[name]]).includes(String(value));
      if (!kept || !told.includes(`${name}: `)) faults.push(`loses ${value} in silence`);
    }
    if (kind === "text" && isScore && isOfNumbers)
      if (
        scores[name] !== null ||
        !told.includes(JSON.stringify(value).slice(0, 5)) ||
        details[name] === undefined
      )
        faults.push(`does not tell ${value}`);
    if (kind === "number" && !isScore) {
      const everything = JSON.stringify([details, row, output, prediction, cost]);
      const isSaid = everything.includes(String(value)) || everything.includes(String(Number(value) / 1000));
      if (!isSaid && !told.includes(`${name}: `)) faults.push(`loses ${value} beside the scores`);
    }
  }
  return faults.map((fault) => `${name} ${fault}`);
}

const isVerdict = (note: string) => note.includes(" have no verdict");

/** What is told of trials without a verdict in a score that has numbers, or true and false. */
function verdictNotes(trials: readonly LogTrial[]): string[] {
  const went = trials.filter(({ error }) => error == null);
  const names = new Set(went.flatMap(({ scores }) => Object.keys(scores)));
  return [...names].flatMap((name) => {
    const values = went.filter(({ scores }) => name in scores).map(({ scores }) => scores[name]);
    const lacking = values.filter((value) => value === null).length;
    const isMeasured = values.some((value) => typeof value === "number" || typeof value === "boolean");
    if (lacking === 0 || !isMeasured) return [];
    const counts = `${lacking} of ${values.length} trials have no verdict and count nowhere`;
    return [`${name}: ${counts}; --count-nulls-as 0 counts them as failed`];
  });
}

describe(`random tables (SEED=${SEED})`, () => {
  it("lose no number in silence, make none a score without evidence, and tell each guess", async () => {
    let refused = 0;
    const property = fc.asyncProperty(tables, async ({ columns: made, length, isCsv }) => {
      const content = written(made, length, isCsv);
      const { trials, told } = await read(content).catch((error: unknown) => {
        if (!(error instanceof SourceFault) || !/ambiguous_mapping|invalid/.test(error.code)) throw error;
        refused++;
        return { trials: [], told: [] };
      });
      if (told.length === 0) return;
      expect({
        content,
        faults: made.flatMap((column) => faultsOf(column, trials, told.join("\n"))),
      }).toEqual({
        content,
        faults: [],
      });
      // What is told is the answer of a dry run, beside what is told of any log.
      const { notes } = await importBytes(engine, content, { dryRun: true }, "made");
      const named = told.map((note) => (note.includes("; as flags: ") ? `made: ${note}` : note));
      expect(notes.filter((note) => !/no time of the run/.test(note) && !isVerdict(note))).toEqual(named);
      expect(notes.filter(isVerdict)).toEqual(verdictNotes(trials));
    });
    await fc.assert(property, options);
    expect(refused).toBeLessThan(SCENARIOS / 2);
  });
});
