import * as fc from "fast-check";
import { test } from "vitest";
import { benjaminiHochberg, bonferroni, holm } from "../../src/stats/index.ts";
import { expect } from "./matchers.ts";

/** Table 1 of Benjamini and Hochberg 1995. */
const p = [
  0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.324, 0.4262, 0.5719, 0.6528,
  0.759, 1,
];
const rejected = (adjusted: readonly number[]): number => adjusted.filter((value) => value <= 0.05).length;

test("the published example rejects 4 by Benjamini–Hochberg and 3 by the others", () => {
  expect([benjaminiHochberg(p), bonferroni(p), holm(p)].map(rejected)).toEqual([4, 3, 3]);
});

test("adjusted values of the published example", () => {
  const bh = [
    0.0015, 0.003, 0.0095, 0.035625, 0.0603, 0.06385714285714286, 0.06385714285714286, 0.0645, 0.0765, 0.486,
    0.5811818181818182, 0.714875, 0.7532307692307693, 0.8132142857142857, 1,
  ];
  benjaminiHochberg(p).forEach((value, i) => expect(value).toAgreeWith(bh[i] ?? 0));
  const start = [0.0015, 0.0056, 0.0247, 0.114, 0.2211, 0.278];
  holm(p)
    .slice(0, 6)
    .forEach((value, i) => expect(value).toAgreeWith(start[i] ?? 0));
});

const values = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 40 });

test("adjusting keeps the input order, never lowers p, and orders the methods", () => {
  fc.assert(
    fc.property(values, (list) => {
      const [bh, step, full] = [benjaminiHochberg(list), holm(list), bonferroni(list)];
      list.forEach((value, i) => {
        expect(bh[i]).toBeGreaterThanOrEqual(value * (1 - 1e-12));
        expect(step[i]).toBeGreaterThanOrEqual((bh[i] ?? 0) * (1 - 1e-12));
        expect(full[i]).toBeGreaterThanOrEqual((step[i] ?? 0) * (1 - 1e-12));
        const later = list.flatMap((other, j) => (value < other ? [bh[j] ?? 0] : []));
        expect(bh[i]).toBeLessThanOrEqual(Math.min(1, ...later));
      });
    }),
    { seed: 11 },
  );
});

test("a permuted family gives permuted answers", () => {
  fc.assert(
    fc.property(values, (list) => {
      expect(holm(list.toReversed())).toEqual(holm(list).toReversed());
      expect(benjaminiHochberg(list.toReversed())).toEqual(benjaminiHochberg(list).toReversed());
    }),
    { seed: 12 },
  );
});

test("an empty family stays empty and a family of one is unchanged", () => {
  for (const adjust of [bonferroni, holm, benjaminiHochberg]) {
    expect([adjust([]), adjust([0.03])]).toEqual([[], [0.03]]);
  }
});

test("p values that are not here count as 1 in a larger family", () => {
  const known = [0.001, 0.02, 0.3];
  for (const adjust of [holm, benjaminiHochberg])
    expect(adjust(known, 7)).toEqual(adjust([...known, 1, 1, 1, 1]).slice(0, 3));
  expect(() => holm(known, 2)).toThrow("size");
});
