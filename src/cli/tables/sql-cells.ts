import { DataType, util } from "apache-arrow";

export function isNumber(type: DataType): boolean {
  return DataType.isInt(type) || DataType.isFloat(type) || DataType.isDecimal(type);
}

/** One value of a result as people read it. */
export function cellText(value: unknown, type: DataType): string {
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
