import type { Scale } from "../../plan/agreement-plan.ts";
import { cohenKappa } from "../../stats/agreement/kappa.ts";
import { wilson } from "../../stats/estimates/rates.ts";
import type { AgreementResponse, ConfusionMatrix } from "./agreement.ts";

/** The number of trials with a pair of values. */
interface Cell {
  readonly a: number | string;
  readonly b: number | string;
  readonly count: number;
}

const MAX_CATEGORIES = 50;

/**
 * The categories of the values: false and true; the texts in code point order; or, where all numbers are whole, every
 * whole number from the least to the greatest. Null for more than 50 categories and for other numbers.
 */
export function categoriesOf(scale: Scale, cells: readonly Cell[]): readonly (number | string)[] | null {
  const values = [...new Set(cells.flatMap(({ a, b }) => [a, b]))];
  switch (scale) {
    case "boolean":
      return [0, 1];
    case "text":
      return values.length > MAX_CATEGORIES
        ? null
        : values.toSorted((a, b) => Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b))));
    case "number": {
      const numbers = values.map(Number);
      const least = numbers.reduce((a, b) => Math.min(a, b), Infinity);
      const most = numbers.reduce((a, b) => Math.max(a, b), -Infinity);
      if (!numbers.every(Number.isSafeInteger) || most - least >= MAX_CATEGORIES) return null;
      return Array.from({ length: most - least + 1 }, (_, i) => least + i);
    }
  }
}

/** Counts trials by the category of a (row) and the category of b (column). */
export function countTable(
  categories: readonly (number | string)[],
  cells: readonly Cell[],
): readonly (readonly number[])[] {
  const places = new Map(categories.map((category, i) => [category, i]));
  const table = categories.map(() => categories.map(() => 0));
  for (const { a, b, count } of cells) {
    const row = table[places.get(a) ?? -1];
    const column = places.get(b) ?? -1;
    if (row !== undefined) row[column] = (row[column] ?? 0) + count;
  }
  return table;
}

export function confusionMatrix(
  scale: Scale,
  categories: readonly (number | string)[],
  counts: readonly (readonly number[])[],
): ConfusionMatrix {
  return { categories: scale === "boolean" ? [false, true] : categories, counts };
}

/** The share of trials on the diagonal; null for an empty table. */
export function rawAgreement(table: readonly (readonly number[])[]): number | null {
  const total = table.flat().reduce((sum, count) => sum + count, 0);
  const equal = table.reduce((sum, row, i) => sum + (row[i] ?? 0), 0);
  return total === 0 ? null : equal / total;
}

/**
 * The intervals of agreement and κ where all trials agree, so that resampled rows do, too: Wilson's of that many rows,
 * and κ at its ends with the categories as they are.
 */
export function faultlessIntervals(
  table: readonly (readonly number[])[],
  rows: number,
  confidence: number,
): Pick<AgreementResponse, "raw_agreement_interval" | "cohen_kappa_interval"> {
  const agreement = wilson(rows, rows, confidence);
  const total = table.flat().reduce((sum, count) => sum + count, 0);
  const byChance = table.reduce((sum, row, i) => sum + ((row[i] ?? 0) / total) ** 2, 0);
  return {
    raw_agreement_interval: agreement,
    cohen_kappa_interval:
      agreement === null || byChance === 1 ? null : [(agreement[0] - byChance) / (1 - byChance), 1],
  };
}

export function weightedKappas(table: readonly (readonly number[])[]) {
  return {
    linear: cohenKappa(table, { weights: "linear" }),
    quadratic: cohenKappa(table, { weights: "quadratic" }),
  };
}
