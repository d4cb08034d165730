const ISO =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:([Zz])|([+-])(\d\d):?(\d\d))$/;

/**
 * Microseconds since 1970-01-01T00:00:00Z of an ISO 8601 time with offset; digits beyond the microsecond
 * are cut. Null when the text is no such time.
 */
export function parseTimestamp(text: string): bigint | null {
  const match = ISO.exec(text);
  if (match === null) return null;
  const [, year, month, day, hour, minute, second = "0", fraction = "", , sign, offsetHour, offsetMinute] = match;
  const utc = Date.UTC(2000, Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
  const date = new Date(utc);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  const valid =
    date.getUTCMonth() + 1 === Number(month) &&
    date.getUTCDate() === Number(day) &&
    Number(hour) < 24 &&
    Number(minute) < 60 &&
    Number(second) < 60 &&
    Number(offsetHour ?? 0) < 24 &&
    Number(offsetMinute ?? 0) < 60;
  if (!valid) return null;
  const offset = (sign === "-" ? -1 : 1) * (Number(offsetHour ?? 0) * 60 + Number(offsetMinute ?? 0));
  return BigInt(date.getTime() - offset * 60_000) * 1000n + BigInt(fraction.padEnd(6, "0").slice(0, 6));
}

/** ISO 8601 in UTC with six digits of a second: `2026-01-31T12:00:00.000000Z`. */
export function formatTimestamp(microseconds: bigint): string {
  const remainder = ((microseconds % 1000n) + 1000n) % 1000n;
  const milliseconds = Number((microseconds - remainder) / 1000n);
  return new Date(milliseconds).toISOString().replace("Z", `${String(remainder).padStart(3, "0")}Z`);
}
