import { grouped } from "../../demo/text-table.ts";

/** What does not exist. */
export const NOTHING = "–";

/** How figures of a dimension are shown: shares as percent, or numbers. */
export type FigureKind = "share" | "number";

/** The mean of a dimension: `96.2%` of passes, otherwise a number. */
export function meanText(value: number | null, kind: FigureKind): string {
  if (value === null) return NOTHING;
  return kind === "share" ? `${(value * 100).toFixed(1)}%` : numberText(value);
}

/** A mean with half of its interval: `96.2% ± 1.0`, `0.7167 ± 0.1200`. */
export function meanWithHalf(
  value: number | null,
  interval: readonly [number, number] | null,
  kind: FigureKind,
): string {
  if (value === null || interval === null) return meanText(value, kind);
  const half = (interval[1] - interval[0]) / 2;
  const shown = kind === "share" ? (half * 100).toFixed(1) : fixed(half, decimalsOf(value));
  return `${meanText(value, kind)} ± ${shown}`;
}

/** Two decimals from 1, one from 100, none from 1,000, four below 1, an exponent below 0.001 and from 10^7. */
export function numberText(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size < 0.001 || size >= 1e7)) return signed(value.toExponential(2));
  return fixed(value, decimalsOf(value));
}

function decimalsOf(value: number): number {
  const size = Math.abs(value);
  return size >= 1000 ? 0 : size >= 100 ? 1 : size >= 1 ? 2 : 4;
}

function fixed(value: number, decimals: number): string {
  const shown = value.toLocaleString("en-US", {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
  return signed(shown);
}

/** With a minus sign that is as wide as a plus. */
function signed(text: string): string {
  return text.replace(/^-/, "−");
}

/** `1,318 of 1,319` where some are left out. */
export function outOf(part: number, whole: number): string {
  return part === whole ? grouped(whole) : `${grouped(part)} of ${grouped(whole)}`;
}
