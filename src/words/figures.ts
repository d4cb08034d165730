import { withoutTrailing } from "../model/plain-line.ts";
import { referenceLabel } from "../model/references.ts";
import type { HistoryEntry } from "../respond/history/history.ts";

/** What does not exist. */
export const NOTHING = "–";

/** What the values of a dimension are: true and false (shown as percent and points), numbers, or money. */
export type ValueType = "binary" | "continuous" | "money";

/** Formats `1319` as `1,319`. */
export function countText(count: number): string {
  return grouped(String(count));
}

/** A count with its noun: `1 row`, `1,319 rows`. */
export function counted(count: number, noun: string): string {
  return `${countText(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** Formats bytes as `66 kB` or `4.8 MB`. */
export function sizeOfText(bytes: number): string {
  return bytes < 999_500 ? `${(bytes / 1e3).toFixed(0)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** What an evaluation ran on: `support:v1`; without a name `60 rows (9f3ac1)`. */
export function datasetText(
  dataset: string | null,
  { row_count: rows, rows_digest: digest }: Pick<HistoryEntry, "row_count" | "rows_digest">,
): string {
  if (dataset !== null) return referenceLabel(dataset);
  return digest === null ? NOTHING : `${counted(rows, "row")} (${digest.slice(0, DIGITS)})`;
}

/** The length of the digest of rows, as it is shown. */
const DIGITS = 6;

/** `1,318 of 1,319` where some are left out. */
export function outOf(part: number, whole: number): string {
  return part === whole ? countText(whole) : `${countText(part)} of ${countText(whole)}`;
}

/** A mean or another value of a dimension: `96.2%`, otherwise a number. */
export function meanText(value: number | null, type: ValueType): string {
  if (value === null) return NOTHING;
  if (type === "money") return moneyText(value);
  return type === "binary" ? `${fixed(value * 100, 1)}%` : numberText(value);
}

/** An amount of money with four significant digits, and no exponent: `0.000864`, `12.34`. */
export function moneyText(amount: number): string {
  if (amount === 0) return "0";
  const text = fixed(amount, moneyDecimals(amount));
  return text.includes(".") ? withoutTrailing(withoutTrailing(text, "0"), ".") : text;
}

function moneyDecimals(amount: number): number {
  return Math.max(0, 3 - Number(amount.toExponential(3).split("e")[1]));
}

/** A mean with half of its interval: `96.2% ± 1.0`, `0.7167 ± 0.1200`. */
export function meanWithHalf(value: number | null, interval: Range | null, type: ValueType): string {
  if (value === null || interval === null) return meanText(value, type);
  const half = (interval[1] - interval[0]) / 2;
  if (type === "money") return `${moneyText(value)} ± ${fixed(half, moneyDecimals(value))}`;
  const shown = type === "binary" ? fixed(half * 100, 1) : fixed(half, decimalsOf(value));
  return `${meanText(value, type)} ± ${shown}`;
}

/** The ends of an interval. */
type Range = readonly [low: number, high: number];

/** The interval of a mean: `31.5% to 52.5%`. */
export function intervalText(interval: Range | null, type: ValueType): string {
  return interval === null ? NOTHING : `${meanText(interval[0], type)} to ${meanText(interval[1], type)}`;
}

/** A difference of means: `−0.5 points`, `+0.0500`. */
export function differenceText(value: number | null, type: ValueType): string {
  return value === null ? NOTHING : withUnit(signedText(value, type), type);
}

/** An end smaller than this share of the other one was moved beside 0, to tell on which side the interval lies. */
const BESIDE_0 = 1e-5;

/** The interval of a difference, without a unit: `−1.3 to +0.4`. */
export function differenceIntervalText(interval: Range | null, type: ValueType): string {
  if (interval === null) return NOTHING;
  const most = Math.max(...interval.map(Math.abs));
  const ends = interval.map((end) => signedText(Math.abs(end) < BESIDE_0 * most ? 0 : end, type));
  return ends.join(" to ");
}

/** The size of a difference, without a sign: `1.2 points`. */
export function sizeText(value: number | null, type: ValueType): string {
  return value === null ? NOTHING : withUnit(plainSize(value, type), type);
}

/** Sizes of differences, the least to the largest: `0.9 to 3.1 points`; one where both read alike. */
export function sizesText(least: number, largest: number, type: ValueType): string {
  const [from, to] = [plainSize(least, type), plainSize(largest, type)];
  return withUnit(from === to ? from : `${from} to ${to}`, type);
}

/**
 * Two decimals from 1, one from 100, none from 1,000, four below 1, an exponent below 0.001 and from 10⁷, a minus sign
 * as wide as a plus.
 */
export function numberText(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size < 0.001 || size >= 1e7)) return minus(value.toExponential(2));
  return fixed(value, decimalsOf(value));
}

/** A p value in a sentence: `p = 0.38`, `p < 0.0001`. */
export function chanceText(p: number | null): string {
  return p !== null && p < SMALLEST_P ? `p ${probabilityText(p)}` : `p = ${probabilityText(p)}`;
}

/** A p value below its head in a table: `0.38`, `< 0.0001`. */
export function probabilityText(p: number | null): string {
  if (p === null) return NOTHING;
  return p < SMALLEST_P ? `< ${SMALLEST_P}` : p.toPrecision(2);
}

const SMALLEST_P = 0.0001;

/** The places that an evaluation may have: `1–4`, `3`. */
export function rankText(interval: Range | null): string {
  if (interval === null) return NOTHING;
  const [first, last] = interval;
  return first === last ? countText(first) : `${countText(first)}–${countText(last)}`;
}

/** The name of an interval by its confidence, a share: `95% interval`. */
export function intervalName(confidence: number): string {
  return `${Number((confidence * 100).toPrecision(6))}% interval`;
}

/** A difference with its sign and without a unit: `−0.1`. */
export function signedText(value: number, type: ValueType): string {
  const sign = value > 0 ? "+" : value < 0 ? MINUS : "";
  return `${sign}${plainSize(value, type)}`;
}

function plainSize(value: number, type: ValueType): string {
  return type === "binary" ? pointsText(Math.abs(value) * 100) : meanText(Math.abs(value), type);
}

/** Small points have one significant digit, so that no difference looks like none. */
function pointsText(points: number): string {
  return points > 0 && points < 0.05 ? minus(points.toPrecision(1)) : fixed(points, 1);
}

function withUnit(text: string, type: ValueType): string {
  return type === "binary" ? `${text} points` : text;
}

function decimalsOf(value: number): number {
  const size = Math.abs(value);
  return size >= 1000 ? 0 : size >= 100 ? 1 : size >= 1 ? 2 : 4;
}

/**
 * A number with so many decimals and commas, a half rounded away from zero, as people round what they read: 1.005 is
 * 1.01. `Intl` says the same, but a browser that just began took 20 of the 90 ms in which a page's script draws it to
 * load that.
 */
function fixed(value: number, decimals: number): string {
  const [digits, exponent] = Math.abs(value).toExponential().split("e");
  const rounded = Math.round(Number(`${digits}e${Number(exponent) + decimals}`)) / 10 ** decimals;
  const [whole = "", fraction] = rounded.toFixed(decimals).split(".");
  return `${value < 0 ? MINUS : ""}${grouped(whole)}${fraction === undefined ? "" : `.${fraction}`}`;
}

/** Digits with commas. */
function grouped(digits: string): string {
  const first = digits.length % 3;
  const groups = digits.slice(first).match(/\d{3}/g) ?? [];
  return [...(first === 0 ? [] : [digits.slice(0, first)]), ...groups].join(",");
}

const MINUS = "−";

function minus(text: string): string {
  return text.replaceAll("-", MINUS);
}
