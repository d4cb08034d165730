/** Numbers of formats that every workbook has, as [first, last]. */
const DATES: readonly (readonly [number, number])[] = [
  [14, 22],
  [27, 36],
  [45, 45],
  [47, 47],
  [50, 58],
];

/**
 * Whether numbers of a format are dates or times of a day: by the format's number, or its code where the workbook has
 * one.
 */
export function isDateFormat(format: number, code: string | undefined): boolean {
  if (code === undefined) return DATES.some(([first, last]) => format >= first && format <= last);
  // A duration is a number.
  if (/\[(h+|m+|s+)\]/i.test(code)) return false;
  return /[dmyhs]/i.test(code.replaceAll(/"[^"]{0,255}"|\\.|_.|\*.|\[[^\]]{0,255}\]|General/gi, ""));
}

const DAY_MILLISECONDS = 86_400_000;
const BEGIN_1900 = Date.UTC(1899, 11, 30);
const BEGIN_1904 = Date.UTC(1904, 0, 1);
/** The year 1900 has a day in workbooks that it never had. */
const NO_DAY = 60;
const LAST_DAY = 2_958_466;

/** A date as ISO 8601 without a zone, of a number below 1 the time of the day; null of a number that is no date. */
export function dateText(serial: number, begins1904: boolean): string | null {
  if (!(serial >= 0 && serial < LAST_DAY)) return null;
  const isEarly = !begins1904 && serial >= 1 && serial < NO_DAY;
  const begin = begins1904 ? BEGIN_1904 : BEGIN_1900;
  const time = new Date(begin + Math.round((serial + (isEarly ? 1 : 0)) * DAY_MILLISECONDS)).toISOString();
  const day = time.slice(0, 10);
  const clock = time.slice(11, -1).replace(/\.000$/, "");
  if (serial < 1) return clock;
  return clock === "00:00:00" ? day : `${day}T${clock}`;
}
