import { DataType, DateUnit, IntervalUnit, TimeUnit, type Data } from "apache-arrow";
import { UnwritableJson } from "../../model/json.ts";
import { ArrowFault } from "../arrow-fault.ts";

/** The text of a value, without quotes. */
type Text = (i: number) => string;

const SECOND_PARTS: Readonly<Record<TimeUnit, number>> = {
  [TimeUnit.SECOND]: 1,
  [TimeUnit.MILLISECOND]: 1e3,
  [TimeUnit.MICROSECOND]: 1e6,
  [TimeUnit.NANOSECOND]: 1e9,
};

function partsOf({ unit }: { readonly unit: TimeUnit }): number {
  const parts: number | undefined = SECOND_PARTS[unit];
  if (parts === undefined) throw new ArrowFault(`a time cannot have the unit ${unit}`);
  return parts;
}

/**
 * Whole seconds, rounded down, and the digits of the rest: `.123456`, or nothing where the unit is a second. What
 * it gives holds until it is asked again.
 */
type Split = (i: number) => { readonly seconds: number; readonly fraction: string };

function splitter(values: Int32Array | BigInt64Array, parts: number): Split {
  const digits = String(parts).length - 1;
  const parted = { seconds: 0, fraction: "" };
  const split = (seconds: number, rest: number) => {
    parted.seconds = seconds;
    parted.fraction = digits === 0 ? "" : `.${String(rest).padStart(digits, "0")}`;
    return parted;
  };
  const whole = (value: number) =>
    split(Math.floor(value / parts), value - Math.floor(value / parts) * parts);
  if (values instanceof Int32Array) return (i) => whole(values[i] ?? 0);
  const words = new Int32Array(values.buffer, values.byteOffset, values.length * 2);
  return (i) => {
    const high = words[2 * i + 1] ?? 0;
    if (high >= -SAFE_HIGH && high < SAFE_HIGH) return whole(high * 2 ** 32 + ((words[2 * i] ?? 0) >>> 0));
    const value = values[i] ?? 0n;
    const rest = ((value % BigInt(parts)) + BigInt(parts)) % BigInt(parts);
    return split(Number((value - rest) / BigInt(parts)), Number(rest));
  };
}

/** Below this upper half, a 64-bit integer is a safe one. */
const SAFE_HIGH = 2 ** 21;
const DAY = 86_400;

/**
 * A column of dates, times and spans as ISO 8601; null for any other column. Points in time with a zone are
 * in UTC and end in `Z`; `utc` says to take those without one for UTC as well.
 */
export function timeReader(data: Data, utc: boolean): Text | null {
  const { type } = data;
  const values = data.values as Int32Array | BigInt64Array;
  if (DataType.isTimestamp(type))
    return instantReader(splitter(values, partsOf(type)), utc || Boolean(type.timezone) ? "Z" : "");
  if (DataType.isDate(type)) return dateReader(values, type.unit, utc);
  if (DataType.isTime(type)) {
    const split = splitter(values, partsOf(type));
    return (i) => {
      const { seconds, fraction } = split(i);
      if (seconds < 0 || seconds >= DAY) throw new UnwritableJson([], "is no time of a day");
      return clock(seconds) + fraction;
    };
  }
  if (DataType.isDuration(type)) {
    const split = splitter(values, partsOf(type));
    return (i) => spanText([["S", split(i)]]);
  }
  return DataType.isInterval(type) ? intervalReader(values, type.unit) : null;
}

function instantReader(split: Split, zone: string): Text {
  let day = Number.NaN;
  let date = "";
  return (i) => {
    const { seconds, fraction } = split(i);
    const today = Math.floor(seconds / DAY);
    if (today !== day) {
      date = dateText(today);
      day = today;
    }
    return `${date}T${clock(seconds - today * DAY)}${fraction}${zone}`;
  };
}

/** Dates in milliseconds may hold a time of the day, as JavaScript's do. */
function dateReader(values: Int32Array | BigInt64Array, unit: DateUnit, utc: boolean): Text {
  if (unit === DateUnit.DAY) return (i) => dateText(Number(values[i] ?? 0));
  const split = splitter(values, 1000);
  const instant = instantReader(split, "Z");
  return (i) => {
    const { seconds, fraction } = split(i);
    return !utc && seconds % DAY === 0 && fraction === ".000" ? dateText(seconds / DAY) : instant(i);
  };
}

function dateText(day: number): string {
  if (!(Math.abs(day) <= 1e8)) throw new UnwritableJson([], "is beyond the dates that there are");
  return new Date(day * DAY * 1000).toISOString().slice(0, -"T00:00:00.000Z".length);
}

const TWO_DIGITS = Array.from({ length: 60 }, (_, i) => String(i).padStart(2, "0"));

function clock(second: number): string {
  const minute = Math.floor(second / 60);
  return `${TWO_DIGITS[Math.floor(minute / 60)]}:${TWO_DIGITS[minute % 60]}:${TWO_DIGITS[second % 60]}`;
}

function intervalReader(values: ArrayLike<number | bigint>, unit: IntervalUnit): Text {
  if (unit === IntervalUnit.YEAR_MONTH) return (i) => `P${Number(values[i] ?? 0)}M`;
  const words = values as Int32Array;
  const word = (at: number) => words[at] ?? 0;
  if (unit === IntervalUnit.DAY_TIME) {
    const split = splitter(words, 1000);
    return (i) =>
      spanText([
        ["D", word(2 * i)],
        ["S", split(2 * i + 1)],
      ]);
  }
  const nanoseconds = new BigInt64Array(words.buffer, words.byteOffset, words.length / 2);
  const split = splitter(nanoseconds, 1e9);
  return (i) =>
    spanText([
      ["M", word(4 * i)],
      ["D", word(4 * i + 1)],
      ["S", split(2 * i + 1)],
    ]);
}

type Span = readonly ["M" | "D", number] | readonly ["S", ReturnType<Split>];

/** `P1M2DT3.5S`; each part has its own sign, as in ISO 8601-2. */
function spanText(parts: readonly Span[]): string {
  return `P${parts.map((part) => (part[0] === "S" ? `T${secondsText(part[1])}S` : part[1] + part[0])).join("")}`;
}

/** Seconds rounded down and a fraction upwards, as one number with a sign before it. */
function secondsText({ seconds, fraction }: ReturnType<Split>): string {
  if (seconds >= 0 || !/[1-9]/.test(fraction)) return seconds + fraction;
  const digits = fraction.length - 1;
  const complement = String(10 ** digits - Number(fraction.slice(1))).padStart(digits, "0");
  return `-${-seconds - 1}.${complement}`;
}
