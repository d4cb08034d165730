import { cohenKappa } from "../../src/stats/index.ts";
import type { JudgeAccuracy } from "../../src/stats/agreement/judge-accuracy.ts";

const sum = (x: readonly number[]): number => x.reduce((all, one) => all + one, 0);

/** Pearson's r; null where a side is constant. */
export function pearson(x: readonly number[], y: readonly number[]): number | null {
  const apart = (list: readonly number[]) => list.map((one) => one - sum(list) / list.length);
  const [dx, dy] = [apart(x), apart(y)];
  const scale = Math.sqrt(sum(dx.map((one) => one ** 2)) * sum(dy.map((one) => one ** 2)));
  return scale === 0 ? null : sum(dx.map((one, i) => one * (dy[i] ?? 0))) / scale;
}

/** How many are smaller, where equals count half. */
const ranks = (list: readonly number[]): number[] =>
  list.map((one) => sum(list.map((other) => (other < one ? 1 : other === one ? 0.5 : 0))));

/** Spearman's ρ: Pearson's r of the ranks. */
export function spearman(x: readonly number[], y: readonly number[]): number | null {
  return pearson(ranks(x), ranks(y));
}

/** Kendall's τ-b from all pairs compared with one another. */
export function kendallTauB(x: readonly number[], y: readonly number[]): number | null {
  const pairs = x.flatMap((_, i) => x.slice(0, i).map((_other, j) => [i, j] as const));
  const signs = (list: readonly number[]) =>
    pairs.map(([i, j]) => Math.sign((list[i] ?? 0) - (list[j] ?? 0)));
  const [dx, dy] = [signs(x), signs(y)];
  const scale = Math.sqrt(dx.filter(Boolean).length * dy.filter(Boolean).length);
  return scale === 0 ? null : sum(dx.map((one, i) => one * (dy[i] ?? 0))) / scale;
}

const share = (hits: number, of: number) => (of === 0 ? null : hits / of);

/** The accuracy of a judge, counted trial by trial. */
export function accuracyOf(human: readonly boolean[], judge: readonly boolean[]): JudgeAccuracy {
  const hits = human.filter((one, i) => one && judge[i] === true).length;
  const right = human.filter((one, i) => one === judge[i]).length;
  const [positive, found] = [human, judge].map((side) => side.filter(Boolean).length);
  return {
    n: human.length,
    accuracy: share(right, human.length),
    precision: share(hits, found ?? 0),
    recall: share(hits, positive ?? 0),
    f1: share(2 * hits, (found ?? 0) + (positive ?? 0)),
  };
}

/** The large-sample standard error of Cohen's κ; Fleiss, Cohen and Everitt 1969. */
export function kappaError(table: readonly (readonly number[])[]): number {
  const total = sum(table.flat());
  const kappa = cohenKappa(table) ?? Number.NaN;
  const rows = table.map((row) => sum(row) / total);
  const columns = rows.map((_, j) => sum(table.map((row) => row[j] ?? 0)) / total);
  const chance = sum(rows.map((row, i) => row * (columns[i] ?? 0)));
  const spread = table.flatMap((row, i) =>
    row.map((count, j) => {
      const marginals = (columns[i] ?? 0) + (rows[j] ?? 0);
      return (count / total) * ((i === j ? 1 : 0) - marginals * (1 - kappa)) ** 2;
    }),
  );
  const variance = sum(spread) - (kappa - chance * (1 - kappa)) ** 2;
  return Math.sqrt(variance / total) / (1 - chance);
}
