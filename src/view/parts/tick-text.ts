import { countText, numberText, type ValueType } from "../../words/figures.ts";

/** The number of a tick; ticks are round, so that they need few digits. */
export function tickText(tick: number, type: ValueType, of: "mean" | "difference"): string {
  const value = type === "binary" ? Number((tick * 100).toPrecision(10)) : Number(tick.toPrecision(10));
  const text = shortText(value).replace("-", "−");
  return type === "binary" && of === "mean" ? `${text}%` : text;
}

function shortText(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e7) return countText(value);
  return String(value).length <= 7 ? String(value) : numberText(value);
}
