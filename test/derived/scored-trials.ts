import { expect } from "vitest";
import { exactMean } from "../oracle/mean.ts";
import { root, trial } from "../support/records.ts";
import { evaluateExpression, type OracleValue } from "./oracle.ts";

/** Scores of the trials, two evaluations, some rows with several trials, in every state a leaf can be in. */
const values = [0.125, 1 / 3, -2.5, 7, 0.1, 1e-9, 12345.678];
export const trials = Array.from({ length: 60 }, (_, i) => ({
  id: `t${i}`,
  evaluation: i % 2 === 0 ? "e" : "f",
  row: { q: i % 17 },
  scores: {
    judge: {
      score: values[i % values.length],
      ...(i % 5 === 0 ? {} : { "my key": i % 3 }),
      tone: ["dry", "warm"][i % 2],
    },
    correct: i % 3 === 0,
    ...(i % 4 === 1 ? {} : { sparse: i / 60 }),
    mixed: [1, true, "3", { deep: 1 }, null, ["x"]][i % 6],
    'a "quoted" `key`; --': i,
    list: [i],
  },
}));

export const EVALUATIONS = ["e", "f"];
export const records = [
  ...EVALUATIONS.map((id) => root(id)),
  ...trials.map(({ id, row, scores, evaluation }) => trial(id, row, scores, { parent_id: evaluation })),
];

/** What the expression is on a trial, by mathjs. */
export function valueOf(expression: string, { scores }: (typeof trials)[number]): OracleValue {
  return evaluateExpression(expression, (path) => {
    const found = path.reduce<unknown>(
      (value, name) =>
        typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : null,
      scores,
    );
    return typeof found === "number" || typeof found === "boolean" ? found : null;
  });
}

/** Off by at most 1e-12 of the mean magnitude. */
export function expectNear(mean: number | null | undefined, numbers: readonly number[]): void {
  const allowed = 1e-12 * (exactMean(numbers.map(Math.abs)) ?? 0);
  expect(Math.abs((mean ?? Number.NaN) - (exactMean(numbers) ?? 0))).toBeLessThanOrEqual(allowed);
}
