import type { RecordBatch } from "apache-arrow";
import type { ColumnsHead, ColumnsPart } from "../../engine/table/columns.ts";
import { parseJson, writeJson } from "../../model/json.ts";
import type { Answers } from "../model/answers.ts";
import { scoresOf } from "../model/scores.ts";
import { COLUMNS, type EditedInputs, type LeftOut, type PayloadHeader } from "../payload/packed-rows.ts";
import { inputLine } from "../rows/input-line.ts";
import { integers, texts } from "./batch-columns.ts";
import { PackedText } from "./packed-text.ts";
import { ReportValues } from "./report-values.ts";

/** The rows of a report as one text, and what they hold. */
export interface FittedRows {
  readonly text: string;
  readonly rows: number;
  /** Rows with outputs. */
  readonly withOutputs: number;
  readonly left: LeftOut;
}

interface PackOptions {
  readonly outputs: boolean;
  readonly room: number;
  /** What evaluations have of edited rows, which may not fit. */
  readonly edited?: EditedInputs;
}

/** Characters for what is said behind the rows. */
const LAST = 96;

/**
 * Packs the rows of a report into `room` characters: values and digests in any case, inputs as whole as they fit, and
 * the outputs of as many rows as fit where inputs are whole.
 */
export async function packRows(
  parts: AsyncIterator<ColumnsPart>,
  answers: Answers,
  { outputs, room, edited = {} }: PackOptions,
): Promise<FittedRows> {
  const { head, digests, inputs, values, first } = await readRows(parts, answers, room);
  const evaluations = answers.evaluations.map(({ id }) => id);
  const dimensions = dimensionsOf(answers);
  const { row_count: rowCount, total_rows: total } = head;
  const header: PayloadHeader = { format: 1, evaluations, dimensions, rowCount };
  const columns = { digests, ...values.columns() };
  const text = new PackedText(room - LAST);
  await text.add([`${JSON.stringify(header)}\n`], Infinity);
  for (const column of [...COLUMNS.map((name) => columns[name]), ...values.scores()])
    await text.add(columnText(column), Infinity);
  const known = inputs.form === "whole" ? edited : withoutInputs(edited);
  if (!(await text.add([editedLine(known)]))) await text.add([editedLine(withoutInputs(edited))], Infinity);
  while (!(await text.add(inputs.texts))) inputs.cut();
  const withOutputs = outputs && inputs.form === "whole" ? await addOutputs(text, rowCount, parts, first) : 0;
  const left: LeftOut = {
    outputs: withOutputs === 0 ? "none" : withOutputs < rowCount ? "some" : "all-there",
    inputs: inputs.form,
    rowsNotHere: total - rowCount,
  };
  return { text: await text.end(JSON.stringify(left)), rows: rowCount, withOutputs, left };
}

function withoutInputs(edited: EditedInputs): EditedInputs {
  return Object.fromEntries(Object.entries(edited).map(([digest, all]) => [digest, all.map(() => null)]));
}

function editedLine(edited: EditedInputs): string {
  return `${JSON.stringify(edited)}\n`;
}

function dimensionsOf({ summary, question }: Answers): string[] {
  return scoresOf(summary, question).map(({ key }) => key);
}

/** Values of a column that are written at once. */
const VALUES = 2 ** 14;

/** A column as a line of JSON, in pieces. */
function* columnText(column: readonly unknown[]): Generator<string> {
  for (let at = 0; at === 0 || at < column.length; at += VALUES) {
    const some = JSON.stringify(column.slice(at, at + VALUES)).slice(1, -1);
    yield `${at === 0 ? "[" : ","}${some}`;
  }
  yield "]\n";
}

/** Reads everything but outputs, which are read when they are asked for; their first batch may be there. */
async function readRows(parts: AsyncIterator<ColumnsPart>, answers: Answers, room: number) {
  const head = await readHead(parts);
  const evaluations = answers.evaluations.map(({ id }) => id);
  const digests: string[] = [];
  const inputs = new KeptInputs(room);
  const values = new ReportValues(head, evaluations, dimensionsOf(answers));
  let first: RecordBatch | null = null;
  // In a function, so that no batch is held while the next one is made.
  const addNext = async (): Promise<boolean> => {
    const { done, value: part } = await parts.next();
    if (done === true) return false;
    switch (part.kind) {
      case "head":
        return true;
      case "rows": {
        const own = texts(part.batch, "row_digest");
        const raw = texts(part.batch, "raw_data_row");
        for (let record = 0; record < part.batch.numRows; record++) {
          digests.push(DECODER.decode(own(record) ?? undefined));
          inputs.add(lineOf(raw(record)));
        }
        return true;
      }
      case "trials":
        values.addTrials(part.batch);
        return true;
      case "scores":
        values.addScores(part.batch);
        return true;
      case "texts":
        values.addTexts(part.batch);
        return true;
      case "outputs":
        first = part.batch;
        return false;
    }
  };
  while (await addNext());
  return { head, digests, inputs, values, first };
}

async function readHead(parts: AsyncIterator<ColumnsPart>): Promise<ColumnsHead> {
  const { done, value } = await parts.next();
  if (done === true || value.kind !== "head") throw new TypeError("the columns of the rows have no head");
  return value;
}

/** Inputs this many times as long as the file may be do not fit however they are compressed. */
const SURE = 40;

/**
 * The inputs of the rows as lines, in the fullest form that may fit into a file: what is sure to be too large is not
 * kept.
 */
class KeptInputs {
  readonly #most: number;
  #size = 0;
  form: LeftOut["inputs"] = "whole";
  texts: string[] = [];

  constructor(room: number) {
    this.#most = SURE * room;
  }

  add(line: string): void {
    if (this.form === "none") return;
    const text = this.form === "whole" ? line : inLine(line);
    this.texts.push(text);
    this.#size += text.length;
    if (this.#size > this.#most) this.cut();
  }

  /** Goes on with the next shorter form. */
  cut(): void {
    const isWhole = this.form === "whole";
    this.form = isWhole ? "line" : "none";
    this.texts = isWhole ? this.texts.map(inLine) : [];
    this.#size = this.texts.reduce((sum, { length }) => sum + length, 0);
  }
}

function inLine(input: string): string {
  return `${writeJson(inputLine(parseJson(input)))}\n`;
}

const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });

/** JSON as a line; it has line ends only where a space means the same. */
function lineOf(json: Uint8Array | null): string {
  return json === null ? "null\n" : `${DECODER.decode(json).replaceAll("\n", " ")}\n`;
}

/** Characters of outputs that are added together. */
const AT_ONCE = 2 ** 16;

/** Adds the outputs of the first rows as long as they fit; tells of how many rows. */
async function addOutputs(
  text: PackedText,
  rowCount: number,
  parts: AsyncIterator<ColumnsPart>,
  first: RecordBatch | null,
): Promise<number> {
  let added = 0;
  let waiting: string[] = [];
  let length = 0;
  const isFull = async () => {
    const fitted = await text.addMost(waiting);
    const full = fitted < waiting.length;
    added += fitted;
    [waiting, length] = [[], 0];
    return full;
  };
  for await (const { row, line } of outputLines(parts, first)) {
    // The last row may go on.
    if (length > AT_ONCE && row >= added + waiting.length && (await isFull())) return added;
    while (added + waiting.length <= row) waiting.push("");
    waiting[row - added] += line;
    length += line.length;
  }
  while (added + waiting.length < rowCount) waiting.push("");
  await isFull();
  return added;
}

/** The outputs of all trials in their order, each with the place of its row. */
async function* outputLines(parts: AsyncIterator<ColumnsPart>, first: RecordBatch | null) {
  for (let batch = first; batch !== null; batch = await nextOutputs(parts)) {
    const rows = integers(batch, "row_order");
    const outputs = texts(batch, "model_output");
    for (let record = 0; record < batch.numRows; record++)
      yield { row: rows[record] ?? 0, line: lineOf(outputs(record)) };
  }
}

async function nextOutputs(parts: AsyncIterator<ColumnsPart>): Promise<RecordBatch | null> {
  const { done, value } = await parts.next();
  return done !== true && value.kind === "outputs" ? value.batch : null;
}
