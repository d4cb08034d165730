const HOURS: Readonly<Record<string, number>> = { h: 1, d: 24, w: 168 };

export const DURATION_RULE = "must be a whole number of up to five digits and h, d or w, such as 24h";

/** A duration in milliseconds, such as `24h`, `7d` or `2w`; null for any other text. */
export function readDuration(text: string): number | null {
  const [, digits = "", unit = ""] = /^(\d{1,5})([hdw])$/.exec(text) ?? [];
  const hours = HOURS[unit];
  return hours === undefined ? null : Number(digits) * hours * 3_600_000;
}
