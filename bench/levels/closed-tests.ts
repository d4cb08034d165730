/*
 * Prints what closed tests of "these evaluations are equal" tell apart, of normal means with known errors:
 * `npx tsx bench/levels/closed-tests.ts [--projects 2000]`. Two are told apart where every group that holds both is found unequal.
 */
import { parseArgs } from "node:util";
import { normalQuantile } from "../../src/stats/numeric/distributions.ts";
import { seededRandom, type Random } from "../../src/stats/numeric/random.ts";
import { normal } from "./designs.ts";

const { values } = parseArgs({ options: { projects: { type: "string", default: "2000" } } });
const projects = Number(values.projects);
const ALPHA = 0.05;
const DRAWS = 100_000;

/** How large both statistics of a group are where it is equal, ascending, and how small the smaller of their p values is. */
interface Equal {
  readonly range: Float64Array;
  readonly lead: Float64Array;
  readonly either: Float64Array;
}

/** The range, and the lead of the first over the average of the others; `sum` is that of all. */
const rangeOf = (first: number, last: number): number => (first - last) / Math.SQRT2;
const leadOf = (first: number, sum: number, size: number): number =>
  (first - (sum - first) / (size - 1)) / Math.sqrt(1 + 1 / (size - 1));

function equalGroups(size: number, random: Random): Equal {
  const [range, lead] = [new Float64Array(DRAWS), new Float64Array(DRAWS)];
  for (let i = 0; i < DRAWS; i++) {
    const x = Array.from({ length: size }, () => normal(random));
    const [first, sum] = [Math.max(...x), x.reduce((total, value) => total + value, 0)];
    range[i] = rangeOf(first, Math.min(...x));
    lead[i] = leadOf(first, sum, size);
  }
  const [ranges, leads] = [range.toSorted(), lead.toSorted()];
  const either = range.map((own, i) => Math.min(pOf(ranges, own), pOf(leads, lead[i] ?? 0))).toSorted();
  return { range: ranges, lead: leads, either };
}

/** The share of ascending values that are at least, or with `below` at most, as large. */
function pOf(ascending: Float64Array, value: number, below = false): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const found = ascending[middle] ?? 0;
    if (below ? found <= value : found < value) low = middle + 1;
    else high = middle;
  }
  return (below ? low : ascending.length - low) / ascending.length;
}

interface Method {
  readonly name: string;
  readonly either: boolean;
  /** The part of the level that a group gets, of all that are disjoint; `all` keeps no level. */
  readonly share: "size" | "mean" | "all";
}

const METHODS: readonly Method[] = [
  { name: "range, level by size (the leaderboard)", either: false, share: "size" },
  { name: "range, the whole level for each group (not valid)", either: false, share: "all" },
  { name: "range or lead, level by size", either: true, share: "size" },
  { name: "range or lead, level by exp(mean)", either: true, share: "mean" },
];

/** For each of some means, from the best to the worst, the bits of those that it is not told from. */
function notTold(means: readonly number[], method: Method, equal: readonly (Equal | undefined)[]): number[] {
  const count = means.length;
  const sums = new Float64Array(2 ** count);
  const weights = means.map(Math.exp);
  const all = weights.reduce((sum, one) => sum + one, 0);
  const kept = Array<number>(count).fill(0);
  const [weighed, sizes] = [new Float64Array(2 ** count), new Uint8Array(2 ** count)];
  for (let group = 1; group < 2 ** count; group++) {
    const [first, rest] = [31 - Math.clz32(group & -group), group & (group - 1)];
    sums[group] = (sums[rest] ?? 0) + (means[first] ?? 0);
    weighed[group] = (weighed[rest] ?? 0) + (weights[first] ?? 0);
    sizes[group] = (sizes[rest] ?? 0) + 1;
    const [size, sum] = [sizes[group] ?? 0, sums[group] ?? 0];
    const own = equal[size];
    if (own === undefined) continue;
    const mine = size * Math.exp(sum / size);
    const shares = { all: 1, size: size / count, mean: mine / (mine + all - (weighed[group] ?? 0)) };
    const level = ALPHA * (size >= count - 1 ? 1 : shares[method.share]);
    const range = pOf(own.range, rangeOf(means[first] ?? 0, means[31 - Math.clz32(group)] ?? 0));
    const smaller = method.either
      ? Math.min(range, pOf(own.lead, leadOf(means[first] ?? 0, sum, size)))
      : range;
    if ((method.either ? pOf(own.either, smaller, true) : range) <= level) continue;
    for (let i = 0; i < count; i++) if ((group >> i) & 1) kept[i] = (kept[i] ?? 0) | group;
  }
  return kept;
}

const print = (cells: readonly string[]): void => void process.stdout.write(`| ${cells.join(" | ")} |\n`);

/** Truths in standard errors of a mean; the first is the best. 2.4 of them are 10 points of a rate at 100 rows. */
const DESIGNS: readonly (readonly [string, readonly number[]])[] = [
  ["one of 5 better", [2.39, 0, 0, 0, 0]],
  ["one of 15 better", [2.46, ...Array<number>(14).fill(0)]],
  ["8 spread evenly", [6, 5.14, 4.29, 3.43, 2.57, 1.71, 0.86, 0]],
  ["4 of 8 better", [3, 3, 3, 3, 0, 0, 0, 0]],
];

print([
  "means",
  "test",
  "told from the best, of what the named comparison tells",
  "pairs told apart",
  "any falsely",
]);
print(["---", "---", "---:", "---:", "---:"]);
for (const [name, truths] of DESIGNS) {
  const count = truths.length;
  const random = seededRandom(20_261_127);
  const equal = Array.from({ length: count + 1 }, (_, size) =>
    size < 2 ? undefined : equalGroups(size, random),
  );
  const named = -normalQuantile(ALPHA / (count - 1) / 2);
  for (const method of METHODS) {
    let [known, best, pairs, wrong] = [0, 0, 0, 0];
    const draws = seededRandom(1);
    for (let project = 0; project < projects; project++) {
      const x = truths.map((truth) => ({ truth, mean: truth + normal(draws) }));
      known += x.slice(1).filter(({ mean }) => rangeOf(x[0]?.mean ?? 0, mean) > named).length;
      const order = x.toSorted((a, b) => b.mean - a.mean);
      const kept = notTold(
        order.map(({ mean }) => mean),
        method,
        equal,
      );
      let falsely = false;
      for (let i = 0; i < count; i++)
        for (let j = i + 1; j < count; j++) {
          if (((kept[i] ?? 0) >> j) & 1) continue;
          const [upper, lower] = [order[i], order[j]];
          if (upper === undefined || lower === undefined || upper.truth <= lower.truth) falsely = true;
          else pairs += 1;
          if (upper === x[0]) best += 1;
        }
      if (falsely) wrong += 1;
    }
    const cells = [
      (best / known).toFixed(2),
      (pairs / projects).toFixed(2),
      `${((100 * wrong) / projects).toFixed(1)} %`,
    ];
    print([name, method.name, ...cells]);
  }
}
