import { DataType, Precision, type Data } from "apache-arrow";
import { UnwritableJson } from "../../model/json.ts";
import { ArrowFault } from "../arrow-fault.ts";

/** A column of numbers as JSON numbers, with all the digits of integers and decimals; null for any other column. */
export function numberReader(data: Data): ((i: number) => string) | null {
  const { type } = data;
  if (DataType.isInt(type)) {
    const values = data.values as ArrayLike<number | bigint>;
    return (i) => String(values[i] ?? 0);
  }
  if (DataType.isDecimal(type)) return decimalReader(data, type.bitWidth, type.scale);
  if (!DataType.isFloat(type)) return null;
  const values = data.values as ArrayLike<number>;
  if (type.precision === Precision.HALF) return (i) => finiteText(halfToNumber(values[i] ?? 0));
  return (i) => finiteText(values[i] ?? 0);
}

function finiteText(value: number): string {
  if (!Number.isFinite(value)) throw new UnwritableJson([], `${value} is not a JSON number`);
  return String(value);
}

/** The value of an IEEE 754 half-precision number. */
function halfToNumber(bits: number): number {
  const sign = bits >> 15 === 0 ? 1 : -1;
  const exponent = (bits >> 10) & 31;
  const mantissa = bits & 1023;
  if (exponent === 31) return mantissa === 0 ? sign * Infinity : Number.NaN;
  return exponent === 0 ? sign * mantissa * 2 ** -24 : sign * (1024 + mantissa) * 2 ** (exponent - 25);
}

/** The most digits that a decimal of Arrow has. */
const MAX_SCALE = 1000;

function decimalReader(data: Data, bitWidth: number, scale: number): (i: number) => string {
  if (Math.abs(scale) > MAX_SCALE) throw new ArrowFault(`a decimal cannot have the scale ${scale}`);
  const words = data.values as Uint32Array;
  const count = bitWidth / 32;
  return (i) => {
    let bits = 0n;
    for (let k = count - 1; k >= 0; k--) bits = (bits << 32n) | BigInt(words[i * count + k] ?? 0);
    return decimalText(BigInt.asIntN(bitWidth, bits), scale);
  };
}

function decimalText(unscaled: bigint, scale: number): string {
  if (scale <= 0) return String(unscaled * 10n ** BigInt(-scale));
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, "0");
  return `${unscaled < 0n ? "-" : ""}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}
