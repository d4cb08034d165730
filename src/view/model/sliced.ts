import type { Filter } from "../../request/eval-results-request.ts";
import type { SliceValue, Slicing } from "../../respond/summary/slicing.ts";
import type { Shown, ShownEvaluation } from "./shown.ts";

/** The evaluation of a page that its slices and history are about: the one that was chosen, else the first that is not the baseline. */
export function candidateOf({ evaluations }: Shown, chosen: string | null): ShownEvaluation | null {
  const others = evaluations.filter((one) => !one.isBaseline);
  return others.find(({ name }) => name.id === chosen) ?? others[0] ?? null;
}

/** Filters that keep the rows of a slice; null where none can: of attributes, and of the members of a list. */
export function condition({ fields, overlapping }: Slicing, value: readonly SliceValue[]): Filter[] | null {
  if (overlapping || !fields.every((field) => /^(?:inputs|output)\./.test(field))) return null;
  return fields.map((field, i) => ({
    query: { $expr: { $eq: [{ $getField: field }, { $literal: value[i] ?? null }] } },
  }));
}
