import {
  check,
  checkCount,
  checkFinite,
  checkObject,
  checkRows,
  unknownChoice,
} from "../numeric/arguments.ts";
import { normalQuantile } from "../numeric/distributions.ts";
import type { Interval } from "../estimates/mean.ts";
import { sum } from "../numeric/sum.ts";

type Table = readonly (readonly number[])[];

export type KappaWeights = "linear" | "quadratic";

/**
 * Cohen's κ of two raters over a square table of counts, whose rows are the first rater's categories and whose
 * columns are the second's: 1 − Σ w p_ij / Σ w p_i. p_.j with disagreement weights w = 1 off the diagonal, |i − j|
 * ("linear") or (i − j)² ("quadratic", ordered categories). Cohen 1960, 1968. null for an empty table and where
 * chance alone gives full agreement. Report the raw agreement next to it: a rare category makes κ low at high
 * agreement.
 */
export function cohenKappa(
  matrix: Table,
  options: { readonly weights?: KappaWeights | undefined } = {},
): number | null {
  checkObject("options", options);
  checkTable(matrix, true);
  const [rows, columns] = [matrix.map(sum), columnSums(matrix)];
  const total = sum(rows);
  const weight = disagreement(options.weights);
  let observed = 0;
  let expected = 0;
  for (const [i, row] of matrix.entries()) {
    for (const [j, count] of row.entries()) {
      observed += weight(i, j) * count;
      expected += weight(i, j) * (rows[i] ?? 0) * ((columns[j] ?? 0) / total);
    }
  }
  return total === 0 || expected === 0 ? null : 1 - observed / expected;
}

/**
 * The interval of Cohen's κ of two classes, from a table of counts with half a label more in each of its four cells: κ
 * ± z times the standard error of Fleiss, Cohen and Everitt (1969), within −1 and 1. null where κ is.
 */
export function kappaInterval(matrix: Table, confidence = 0.95): Interval | null {
  if (cohenKappa(matrix) === null || matrix.length !== 2) return null;
  const table = matrix.map((row) => row.map((count) => count + 0.5));
  const kappa = cohenKappa(table) ?? 0;
  const n = sum(table.flat());
  const shares = table.map((row) => row.map((count) => count / n));
  const [rows, columns] = [shares.map(sum), columnSums(shares)];
  const expected = sum(rows.map((share, i) => share * (columns[i] ?? 0)));
  const terms = shares.flatMap((row, i) =>
    row.map((share, j) => {
      const both = (columns[i] ?? 0) + (rows[j] ?? 0);
      return share * ((i === j ? 1 : 0) - both * (1 - kappa)) ** 2;
    }),
  );
  const variance = (sum(terms) - (kappa - expected * (1 - kappa)) ** 2) / (n * (1 - expected) ** 2);
  const reach = normalQuantile((1 + confidence) / 2) * Math.sqrt(Math.max(0, variance));
  return [Math.max(-1, kappa - reach), Math.min(1, kappa + reach)];
}

/**
 * Fleiss' κ, 1971: `table[subject][category]` counts the raters who chose the category; every subject has the same
 * number of raters, at least 2. null where every rating falls into one category, and without subjects.
 */
export function fleissKappa(table: Table): number | null {
  checkTable(table);
  const [first] = table;
  if (first === undefined) return null;
  const raters = sum(first);
  checkCount("the number of raters", raters, 2);
  check(
    table.every((row) => sum(row) === raters),
    "the same number of raters for every subject",
  );
  const ratings = table.length * raters;
  const observed = sum(table.flat().map((count) => count * (count - 1))) / (ratings * (raters - 1));
  const expected = sum(columnSums(table).map((count) => (count / ratings) ** 2));
  return expected === 1 ? null : (observed - expected) / (1 - expected);
}

function disagreement(weights: KappaWeights | undefined): (i: number, j: number) => number {
  switch (weights) {
    case "linear":
      return (i, j) => Math.abs(i - j);
    case "quadratic":
      return (i, j) => (i - j) ** 2;
    case undefined:
      return (i, j) => (i === j ? 0 : 1);
  }
  throw unknownChoice("weights", weights);
}

function columnSums(table: Table): number[] {
  return (table[0] ?? []).map((_, j) => sum(table.map((row) => row[j] ?? 0)));
}

/** Requires a table of counts. */
function checkTable(table: Table, square = false): void {
  checkRows("the table", table);
  checkFinite("the table", table.flat());
  const width = square ? table.length : (table[0]?.length ?? 0);
  const counts = table.every((row) => row.length === width && row.every((count) => count >= 0));
  check(counts, `a table of counts of at least 0, each row of ${width} columns`);
}
