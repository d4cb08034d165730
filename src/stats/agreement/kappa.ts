import {
  check,
  checkCount,
  checkFinite,
  checkObject,
  checkRows,
  unknownChoice,
} from "../numeric/arguments.ts";

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
  const { shares, rows, columns } = proportions(matrix);
  const weight = disagreement(options.weights);
  let observed = 0;
  let expected = 0;
  for (const [i, row] of shares.entries()) {
    for (const [j, share] of row.entries()) {
      observed += weight(i, j) * share;
      expected += weight(i, j) * (rows[i] ?? 0) * (columns[j] ?? 0);
    }
  }
  return expected === 0 ? null : 1 - observed / expected;
}

/**
 * Fleiss' κ, 1971: `table[subject][category]` counts the raters who chose the category; every subject has the same
 * number of raters, at least 2. null where every rating falls into one category, and without subjects.
 */
export function fleissKappa(table: Table): number | null {
  checkRows("the table", table);
  const [first] = table;
  if (first === undefined) return null;
  const raters = first.reduce((sum, count) => sum + count, 0);
  checkCount("the number of raters", raters, 2);
  checkTable(table, first.length);
  const ratersAgree = table.every((row) => row.reduce((sum, count) => sum + count, 0) === raters);
  check(ratersAgree, "the same number of raters for every subject");
  const agreement = table.reduce(
    (sum, row) => sum + row.reduce((pairs, count) => pairs + count * (count - 1), 0),
    0,
  );
  const observed = agreement / (table.length * raters * (raters - 1));
  const shares = first.map(
    (_, j) => table.reduce((sum, row) => sum + (row[j] ?? 0), 0) / (table.length * raters),
  );
  const expected = shares.reduce((sum, share) => sum + share * share, 0);
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

function proportions(matrix: Table) {
  checkRows("the table", matrix);
  checkTable(matrix, matrix.length);
  const total = matrix.flat().reduce((sum, count) => sum + count, 0);
  const shares = matrix.map((row) => row.map((count) => (total === 0 ? 0 : count / total)));
  const rows = shares.map((row) => row.reduce((sum, share) => sum + share, 0));
  const columns = shares.map((_, j) => shares.reduce((sum, row) => sum + (row[j] ?? 0), 0));
  return { shares, rows, columns, total };
}

/** Requires a table of counts with `width` columns. */
function checkTable(table: Table, width: number): void {
  checkFinite("the table", table.flat());
  const counts = table.every((row) => row.length === width && row.every((count) => count >= 0));
  check(counts, `a table of counts of at least 0, each row of ${width} columns`);
}
