import type { Order, RowQuery } from "./row-source.ts";
import type { RowValues } from "./row-values.ts";

/** What a question about rows is answered from. */
export interface RowColumns {
  readonly evaluations: readonly string[];
  readonly values: RowValues;
  /** The place of each row by digest. */
  readonly rank: Uint32Array;
}

/** The rows of a question in their order; `found` tells which rows have the text that is searched. */
export function findRows(columns: RowColumns, query: RowQuery, found: (row: number) => boolean): Uint32Array {
  const { rows } = columns.values;
  const wanted = shownBy(columns, query);
  const places = new Uint32Array(rows);
  let count = 0;
  for (let row = 0; row < rows; row++) if (wanted(row) && found(row)) places[count++] = row;
  return places.subarray(0, count).sort(orderBy(columns, query.order));
}

function shownBy(columns: RowColumns, query: RowQuery): (row: number) => boolean {
  const { columns: width, means, spread } = columns.values;
  const baseline = query.baseline === null ? -1 : columns.evaluations.indexOf(query.baseline);
  const sign = (query.show === "better") === query.lowerIsBetter ? -1 : 1;
  const isOver = (row: number) => {
    const own = means[row * width + baseline] ?? Number.NaN;
    for (let at = row * width; at < (row + 1) * width; at++)
      if (sign * ((means[at] ?? Number.NaN) - own) > 0) return true;
    return false;
  };
  switch (query.show) {
    case "all":
      return () => true;
    case "differ":
      return (row) => (spread[row] ?? 0) > 0;
    case "missing":
      return (row) => means.subarray(row * width, (row + 1) * width).some(Number.isNaN);
    case "better":
    case "worse":
      return baseline === -1 ? () => false : isOver;
  }
}

function orderBy(columns: RowColumns, order: Order): (a: number, b: number) => number {
  const { values, rank } = columns;
  const byRank = (a: number, b: number) => (rank[a] ?? 0) - (rank[b] ?? 0);
  if (order === "stored") return byRank;
  const byMean = by(values.pooled, 1, byRank);
  if (order === "mean") return byMean;
  if (order === "difference") return by(values.spread, -1, byMean);
  const evaluation = columns.evaluations.indexOf(order.evaluation);
  const own = Float64Array.from(
    rank,
    (_, row) => values.means[row * values.columns + evaluation] ?? Number.NaN,
  );
  return by(own, order.direction === "asc" ? 1 : -1, byRank);
}

/** What is missing comes last in both directions. */
function by(
  keys: Float64Array,
  sign: 1 | -1,
  next: (a: number, b: number) => number,
): (a: number, b: number) => number {
  return (a, b) => {
    const [x, y] = [keys[a] ?? Number.NaN, keys[b] ?? Number.NaN];
    if (x === y) return next(a, b);
    if (Number.isNaN(x)) return Number.isNaN(y) ? next(a, b) : 1;
    return Number.isNaN(y) ? -1 : sign * (x - y);
  };
}

/** The place of each text in the order of code points. */
export function ranks(texts: readonly string[]): Uint32Array {
  const compare = texts.some((text) => /[\ud800-\udfff]/.test(text)) ? byCodePoint : byUnit;
  const order = texts.map((_, place) => place).sort((a, b) => compare(texts[a] ?? "", texts[b] ?? ""));
  const rank = new Uint32Array(texts.length);
  order.forEach((text, place) => {
    rank[text] = place;
  });
  return rank;
}

function byUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function byCodePoint(a: string, b: string): number {
  const [x, y] = [Array.from(a), Array.from(b)];
  const at = x.findIndex((character, i) => character !== y[i]);
  if (at === -1) return x.length - y.length;
  return (x[at]?.codePointAt(0) ?? 0) - (y[at]?.codePointAt(0) ?? -1);
}
