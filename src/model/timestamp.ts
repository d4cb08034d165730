const ISO =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:[Zz]|([+-])(\d\d)(?::?(\d\d))?)$/;

/**
 * Microseconds since 1970-01-01T00:00:00Z of an ISO 8601 time with offset; digits beyond the microsecond
 * are cut. Null when the text is no such time.
 */
export function parseTimestamp(text: string): bigint | null {
  return parseCommonTimestamp(text) ?? parseAnyTimestamp(text);
}

/** {@link parseTimestamp}, of a day or of a time without offset in UTC. */
export function parseUtcTimestamp(text: string): bigint | null {
  return parseTimestamp(text) ?? parseTimestamp(`${text}Z`) ?? parseTimestamp(`${text}T00:00:00Z`);
}

/**
 * {@link parseTimestamp} of the spelling that nearly every exporter writes, `2026-01-31T12:00:00.000000Z`, without a
 * regular expression; null of any other.
 */
export function parseCommonTimestamp(text: string): bigint | null {
  if (
    text.length !== 27 ||
    text.charCodeAt(26) !== 90 ||
    text.charCodeAt(10) !== 84 ||
    text.charCodeAt(19) !== 46
  )
    return null;
  const hour = digits(text, 11, 13);
  const minute = digits(text, 14, 16);
  const second = digits(text, 17, 19);
  const days = daysSinceEpoch(digits(text, 0, 4), digits(text, 5, 7), digits(text, 8, 10));
  const microseconds = digits(text, 20, 26);
  const marked =
    text.charCodeAt(4) === 45 &&
    text.charCodeAt(7) === 45 &&
    text.charCodeAt(13) === 58 &&
    text.charCodeAt(16) === 58;
  const seconds = days * 86_400 + hour * 3600 + minute * 60 + second;
  if (!marked || !(hour < 24 && minute < 60 && second < 60) || Number.isNaN(seconds + microseconds))
    return null;
  const total = seconds * 1e6 + microseconds;
  return Number.isSafeInteger(total) ? BigInt(total) : BigInt(seconds) * 1_000_000n + BigInt(microseconds);
}

/** The number that `text[from..to)` spells; NaN when something else than a digit is there. */
function digits(text: string, from: number, to: number): number {
  let number = 0;
  for (let i = from; i < to; i++) {
    const digit = text.charCodeAt(i) - 48;
    number = digit >= 0 && digit <= 9 ? number * 10 + digit : Number.NaN;
  }
  return number;
}

function parseAnyTimestamp(text: string): bigint | null {
  const match = ISO.exec(text);
  if (match === null) return null;
  const [
    ,
    year,
    month,
    day,
    hour,
    minute,
    second = 0,
    fraction = "",
    sign,
    offsetHour = 0,
    offsetMinute = 0,
  ] = match;
  const seconds =
    daysSinceEpoch(Number(year), Number(month), Number(day)) * 86_400 +
    Number(hour) * 3600 +
    Number(minute) * 60 +
    Number(second) -
    (sign === "-" ? -60 : 60) * (Number(offsetHour) * 60 + Number(offsetMinute));
  const valid =
    !Number.isNaN(seconds) &&
    Number(hour) < 24 &&
    Number(minute) < 60 &&
    Number(second) < 60 &&
    Number(offsetHour) < 24 &&
    Number(offsetMinute) < 60;
  return valid ? BigInt(seconds) * 1_000_000n + BigInt(fraction.padEnd(6, "0").slice(0, 6)) : null;
}

const DAYS_BEFORE_MONTH = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365];

/** Days from 1970-01-01 in the Gregorian calendar; NaN when there is no such day. */
function daysSinceEpoch(year: number, month: number, day: number): number {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const before = DAYS_BEFORE_MONTH[month - 1];
  const after = DAYS_BEFORE_MONTH[month];
  if (before === undefined || after === undefined) return Number.NaN;
  if (day < 1 || day > after - before + (leap && month === 2 ? 1 : 0)) return Number.NaN;
  const past = year - 1;
  const leapDays = Math.floor(past / 4) - Math.floor(past / 100) + Math.floor(past / 400) - 477;
  return (year - 1970) * 365 + leapDays + before + (leap && month > 2 ? 1 : 0) + day - 1;
}

/** ISO 8601 in UTC with six digits of a second: `2026-01-31T12:00:00.000000Z`. */
export function formatTimestamp(microseconds: bigint): string {
  const remainder = ((microseconds % 1000n) + 1000n) % 1000n;
  const milliseconds = Number((microseconds - remainder) / 1000n);
  return new Date(milliseconds).toISOString().replace("Z", `${String(remainder).padStart(3, "0")}Z`);
}
