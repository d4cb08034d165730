import { meanText, numberText } from "../words/figures.ts";

/** The dimension that cells show. */
export interface ShownScore {
  /** `scorer` or `scorer.path`. */
  readonly name: string;
  readonly binary: boolean;
  readonly lowerIsBetter: boolean;
  /** Whether one side of it is the good one. */
  readonly hasGoodSide: boolean;
}

/** What a cell says; `name` is set where it is a picture, which the style draws if there is no text. */
export interface Cell {
  readonly kind: "pass" | "fail" | "partly" | "number" | "no-value" | "not-run";
  readonly text: string;
  readonly name?: string;
}

/** What a cell says of a row's value: null for no value, undefined for not run. */
export function cellOf(value: number | null | undefined, binary: boolean, numberIn = numberText): Cell {
  if (value === undefined) return { kind: "not-run", text: "·", name: "not run" };
  if (value === null) return { kind: "no-value", text: "–", name: "no value" };
  if (!binary) return { kind: "number", text: numberIn(value) };
  if (value === 1) return { kind: "pass", text: "", name: "pass" };
  if (value === 0) return { kind: "fail", text: "", name: "fail" };
  return { kind: "partly", text: meanText(value, "binary") };
}
