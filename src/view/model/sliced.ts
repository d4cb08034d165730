import type { Filter } from "../../request/eval-results-request.ts";
import type { SliceValue, Slicing } from "../../respond/summary/slicing.ts";
import type { Answers } from "./answers.ts";
import { byStart } from "./runs.ts";
import { comparisonsIn, type Shown, type ShownEvaluation } from "./shown.ts";

/** The evaluation of a page that its slices and history are about: the one that was chosen, else the usual one. */
export function candidateOf(
  { evaluations, answers, score }: Shown,
  chosen: string | null,
): ShownEvaluation | null {
  const others = evaluations.filter((one) => !one.isBaseline);
  const usual = defaultCandidate(answers, score.key);
  return (
    others.find(({ name }) => name.id === chosen) ?? others.find(({ name }) => name.id === usual) ?? null
  );
}

/**
 * The evaluation that is shown worse than the baseline by most, else the one that started last; null where there is the
 * baseline alone.
 */
export function defaultCandidate(answers: Answers, score: string): string | null {
  const others = byStart(answers.evaluations).filter(({ id }) => id !== answers.baseline);
  const comparisons = comparisonsIn(answers, score);
  const lossOf = ({ id }: { readonly id: string }) => {
    const { verdict, difference = null } = comparisons.get(id) ?? {};
    return verdict === "regressed" ? Math.abs(difference ?? 0) : -1;
  };
  const most = Math.max(...others.map(lossOf));
  const worst = most < 0 ? undefined : others.find((one) => lossOf(one) === most);
  return (worst ?? others.at(-1))?.id ?? null;
}

/** Filters that keep the rows of a slice; null where none can: of attributes, and of the members of a list. */
export function condition({ fields, overlapping }: Slicing, value: readonly SliceValue[]): Filter[] | null {
  if (overlapping || !fields.every((field) => /^(?:inputs|output)\./.test(field))) return null;
  return fields.map((field, i) => ({
    query: { $expr: { $eq: [{ $getField: field }, { $literal: value[i] ?? null }] } },
  }));
}
