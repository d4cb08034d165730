import { readTextNumber } from "../../../model/numbers.ts";

/**
 * How a number is written. `comma` and `dots` have a decimal comma (`1,5`, `1.234,5`), `point` and `thousands` a
 * decimal point (`1.5`, `1,234.5`); `unclear` and `grouped` may have either (`1,234`, `1.234`). `marked` is any of them
 * with other marks (`1 234,5`). `share` is `4/5` or `4 out of 5`, `stars` is `★★★★☆` or `4 stars`.
 */
export type NumberForm =
  | "whole"
  | "point"
  | "comma"
  | "dots"
  | "thousands"
  | "unclear"
  | "grouped"
  | "share"
  | "stars"
  | "marked";

export type DecimalSign = "comma" | "point";

/** A number as a text has it. */
export interface WrittenNumber {
  /** Its digits and signs, without percent sign and currency. */
  readonly body: string;
  readonly form: NumberForm;
  readonly isPercent: boolean;
  /** Such as `USD`; null where there is none. */
  readonly currency: string | null;
}

const LONGEST = 60;
const WRITTEN = /^([+-]?)\s?([$€£]?)\s?([+-]?[\d.,]+(?:e[+-]?\d+)?)\s?(%|USD|EUR|GBP)?$/i;
const SIGNS: Readonly<Record<string, string>> = { $: "USD", "€": "EUR", "£": "GBP" };
/** A number with leading zeros is the name of something. */
const NAME = /^[+-]?0\d/;

/** A number with a point that a decimal comma would make a thousand times as large. */
const GROUPED = /^[+-]?[1-9]\d{0,2}\.\d{3}$/;

const FORMS: readonly (readonly [form: NumberForm, pattern: RegExp])[] = [
  ["whole", /^\d+(e[+-]?\d+)?$/i],
  ["grouped", GROUPED],
  ["point", /^(\d+\.\d*|\.\d+)(e[+-]?\d+)?$/i],
  ["unclear", /^[1-9]\d{0,2},\d{3}$/],
  ["thousands", /^[1-9]\d{0,2}(,\d{3})+(\.\d+)?$/],
  ["comma", /^\d+,\d+$/],
  ["dots", /^[1-9]\d{0,2}(\.\d{3}){2,}$|^[1-9]\d{0,2}(\.\d{3})+,\d+$/],
];

/** Thousands that blanks or apostrophes divide, and such a mark. */
const MARKED = /^\D*[1-9]\d{0,2}(?:[ \u{a0}\u{202f}\u{2009}'’]\d{3})+(?!\d)/u;
const MARK = /(?<=\d)[ \u{a0}\u{202f}\u{2009}'’](?=\d{3}(?!\d))/gu;

/** Reads a text as a number; null where it is none. */
export function readWritten(written: string): WrittenNumber | null {
  if (written.length > LONGEST) return null;
  const signed = written.replace("\u{2212}", "-");
  const text = isMarked(signed) ? signed.replaceAll(MARK, "") : signed;
  if (NAME.test(text)) return null;
  if (readTextNumber(text) !== null) {
    const form = GROUPED.test(text) ? "grouped" : text.includes(".") ? "point" : "whole";
    return { body: text, form, isPercent: false, currency: null };
  }
  const other = readShare(text);
  if (other !== null) return { body: other.body, form: other.form, isPercent: false, currency: null };
  const [, sign = "", before = "", digits = "", behind = ""] = WRITTEN.exec(text) ?? [];
  const unsigned = digits.replace(/^[+-]/, "");
  const form = FORMS.find(([, pattern]) => pattern.test(unsigned))?.[0];
  if (
    form === undefined ||
    Math.abs(Number(digits)) === Infinity ||
    NAME.test(digits) ||
    (sign !== "" && unsigned !== digits)
  )
    return null;
  const currency = SIGNS[before] ?? (behind === "%" || behind === "" ? null : behind.toUpperCase());
  const isPercent = behind === "%";
  return isPercent && /e/i.test(digits) ? null : { body: `${sign}${digits}`, form, isPercent, currency };
}

const SHARE = /^(\d+(?:\.\d+)?)\s*(?:\/|\sout of\s)\s*(\d+(?:\.\d+)?)$/i;
const STARS = /^(?:([★⭐]*)☆*|(\d+(?:\.\d+)?) ?stars?)$/iu;

/** A share of a whole, or stars: its body is the number as digits. */
function readShare(text: string): { readonly body: string; readonly form: "share" | "stars" } | null {
  if (!/^[\d★⭐☆]/.test(text)) return null;
  const [, part, whole] = SHARE.exec(text) ?? [];
  if (part !== undefined && Number(whole) > 0 && Number(part) <= Number(whole))
    return { body: String(Number(part) / Number(whole)), form: "share" };
  const [, full, count] = STARS.exec(text.replaceAll("\uFE0F", "")) ?? [];
  if (full === undefined && count === undefined) return null;
  return { body: count ?? String(full?.length), form: "stars" };
}

/** Whether blanks or apostrophes divide the digits of a number. */
export function isMarked(text: string): boolean {
  return MARKED.test(text);
}

/** The value of a number with that decimal sign; null where it is not written so. */
export function valueOfWritten(
  { body, form, isPercent }: WrittenNumber,
  decimal: DecimalSign,
): number | bigint | null {
  if (form === "share" || form === "stars") return Number(body);
  const fits =
    form === "whole" ||
    form === "unclear" ||
    form === "grouped" ||
    (decimal === "comma" ? form === "comma" || form === "dots" : form === "point" || form === "thousands");
  if (!fits) return null;
  const plain = decimal === "comma" ? body.replaceAll(".", "").replace(",", ".") : body.replaceAll(",", "");
  // The digits are moved, not divided: the number is then the nearest one.
  const number = Number(isPercent ? `${plain}e-2` : plain);
  if (!Number.isFinite(number)) return null;
  return Number.isSafeInteger(number) || !/^[+-]?\d+$/.test(plain) || isPercent ? number : BigInt(plain);
}
