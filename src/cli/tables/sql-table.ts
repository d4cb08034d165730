import { DataType, util, type RecordBatch } from "apache-arrow";
import type { PrintedColumn } from "../../text/text-table.ts";
import { shortenedText } from "../../text/text-width.ts";
import { firstOf, layOut, missingLines, type Layout, type TableView } from "./screen-table.ts";
import { counted } from "../../words/figures.ts";

type Write = (text: string) => Promise<void>;

const LONGEST_CELL = 60;

/**
 * Prints a result as a table, with long texts shortened and numbers aligned right. It reads as far as the view shows,
 * and holds a batch and the first records at most.
 */
export async function printSqlTable(
  batches: AsyncIterable<RecordBatch>,
  view: TableView,
  write: Write,
): Promise<void> {
  const most = view.most ?? Infinity;
  const printer = tablePrinter(view, write);
  let read = 0;
  for await (const batch of batches) {
    const records = recordsOf(batch, most + 1 - read);
    read += records.length;
    await printer.add(columnsOf(batch), read > most ? records.slice(0, -1) : records);
    if (read > most) break;
  }
  await printer.end(Math.min(read, most), read > most);
}

function columnsOf({ schema }: RecordBatch): PrintedColumn[] {
  return schema.fields.map(({ name, type }) => ({
    head: name,
    align: isNumber(type) ? "right" : "left",
    named: true,
  }));
}

function recordsOf(batch: RecordBatch, most: number): string[][] {
  const columns = batch.schema.fields.map(({ type }, i) => ({ type, vector: batch.getChildAt(i) }));
  return Array.from({ length: Math.min(batch.numRows, most) }, (_, record) =>
    columns.map(({ type, vector }) =>
      shortenedText(cellText(vector?.get(record) as unknown, type), LONGEST_CELL),
    ),
  );
}

/** Records that a table is laid out by. */
const SAMPLE = 1000;

function tablePrinter(view: TableView, write: Write) {
  let columns: readonly PrintedColumn[] = [];
  let waiting: string[][] = [];
  let layout: Layout | null = null;
  const print = async (): Promise<Layout> => {
    const head = layout === null;
    const laid = (layout ??= layOut(columns, waiting, view));
    const lines = [...(head ? laid.head : []), ...waiting.map(laid.line)];
    waiting = [];
    if (lines.length > 0) await write(`${lines.join("\n")}\n`);
    return laid;
  };
  return {
    add: async (heads: readonly PrintedColumn[], records: readonly string[][]): Promise<void> => {
      columns = heads;
      waiting = waiting.concat(records);
      if (layout !== null || waiting.length >= SAMPLE) await print();
    },
    end: async (count: number, more: boolean): Promise<void> => {
      const { left, isCut } = await print();
      const shown = { records: more ? firstOf(count, null) : null, columns: left, isCut: isCut() };
      const missing = missingLines([shown], view, ["--out FILE.csv writes all", "--out FILE.csv has all"]);
      const records = `${counted(count, "record")}${missing.length === 0 ? "" : "."}`;
      await write(`\n${[...(more ? [] : [records]), ...missing].join(" ")}\n`);
    },
  };
}

function isNumber(type: DataType): boolean {
  return DataType.isInt(type) || DataType.isFloat(type) || DataType.isDecimal(type);
}

/** One value of a result as people read it. */
function cellText(value: unknown, type: DataType): string {
  if (value === null || value === undefined) return "–";
  if (DataType.isDecimal(type)) return decimalText(value as Uint32Array<ArrayBuffer>, type.scale);
  if (typeof value === "number" && DataType.isTimestamp(type)) return new Date(value).toISOString();
  if (typeof value === "number" && DataType.isDate(type)) return new Date(value).toISOString().slice(0, 10);
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean" || typeof value === "bigint")
    return String(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  return JSON.stringify(value, (_name, one: unknown) => (typeof one === "bigint" ? Number(one) : one));
}

function decimalText(words: Uint32Array<ArrayBuffer>, scale: number): string {
  const whole = util.bigNumToBigInt(util.BN.new(words, true));
  const digits = String(whole < 0n ? -whole : whole).padStart(scale + 1, "0");
  const point = digits.length - scale;
  return `${whole < 0n ? "-" : ""}${digits.slice(0, point)}${scale === 0 ? "" : `.${digits.slice(point)}`}`;
}
