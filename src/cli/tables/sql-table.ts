import { DataType, util, type Table } from "apache-arrow";
import { textTable } from "../../demo/text-table.ts";

const LONGEST_CELL = 60;

/** Formats a result for reading: every record, with long texts shortened and numbers aligned right. */
export function sqlTable(table: Table, colour: boolean): string {
  const { fields } = table.schema;
  const columns = fields.map(({ name, type }) => ({
    head: name,
    align: isNumber(type) ? ("right" as const) : ("left" as const),
  }));
  const vectors = fields.map((_, i) => table.getChildAt(i));
  const rows = Array.from({ length: table.numRows }, (_, row) =>
    fields.map(({ type }, i) => shortened(cellText(vectors[i]?.get(row) as unknown, type))),
  );
  const count = `${table.numRows} ${table.numRows === 1 ? "record" : "records"}`;
  return `${textTable(columns, rows, colour)}\n\n${count}`;
}

function isNumber(type: DataType): boolean {
  return DataType.isInt(type) || DataType.isFloat(type) || DataType.isDecimal(type);
}

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

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length > LONGEST_CELL ? `${line.slice(0, LONGEST_CELL - 1)}…` : line;
}
