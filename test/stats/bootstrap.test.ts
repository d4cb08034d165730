import { describe, test } from "vitest";
import { bootstrap, clusteredStandardError, mean } from "../../src/stats/index.ts";
import { expect } from "./matchers.ts";

const x = [0.1, 0.4, 0.35, 0.8, 0.9, 0.2, 0.6, 0.75, 0.3, 0.55];
const skewed = [1, 2, 2, 3, 5, 8, 13, 21, 34, 55];
const average = (sample: readonly number[]): number => mean(sample) ?? 0;
const bytes = (seed: number) => JSON.stringify(bootstrap(x, average, { method: "bca", seed }));
const bca = (confidence: number) =>
  bootstrap(skewed, average, { method: "bca", seed: 2, confidence }).confidence_interval ?? [0, 0];

describe("the bootstrap", () => {
  test("finds the standard error √(population variance / n)", () => {
    const result = bootstrap(x, average, { method: "percentile", resamples: 20_000, seed: 1 });
    expect(result.standard_error).toBeGreaterThan(0.0797);
    expect(result.standard_error).toBeLessThan(0.0812);
    expect(result).toMatchObject({ estimate: average(x), method: "percentile", resamples: 20_000, seed: 1 });
  });

  test.each([
    { method: "percentile", values: x, interval: [0.34, 0.655] },
    { method: "basic", values: x, interval: [0.335, 0.65] },
    { method: "bca", values: x, interval: [0.34, 0.65] },
    { method: "bca", values: skewed, interval: [6.6, 29.2] },
  ] as const)(
    "$method agrees with scipy 1.17.1's bootstrap within simulation error",
    ({ method, values, interval }) => {
      const result = bootstrap(values, average, { method, resamples: 20_000, seed: 7 });
      expect(result.confidence_interval).toAgreeWith(interval, 0.03);
    },
  );

  test("gives the same bytes for the same seed and others for another", () => {
    expect(bytes(5)).toBe(bytes(5));
    expect(bytes(5)).not.toBe(bytes(6));
    expect(JSON.parse(bytes(5))).toMatchObject({ resamples: 2000, seed: 5 });
  });

  test("resamples whole clusters", () => {
    const scores = Array.from({ length: 200 }, (_, i) => (Math.floor(i / 5) % 3 === 0 ? 1 : 0));
    const clusterIds = scores.map((_, i) => Math.floor(i / 5));
    const clustered = bootstrap(scores, average, { method: "percentile", seed: 1, clusterIds });
    const cr0 = clusteredStandardError(scores, clusterIds, { correction: "CR0" }) ?? 0;
    expect((clustered.standard_error ?? 0) / cr0).toBeCloseTo(1, 1);
  });

  test("hierarchically also resamples the trials within a drawn row", () => {
    const trials = [0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1];
    const clusterIds = [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6];
    const rows = bootstrap(trials, average, { method: "percentile", seed: 1, clusterIds });
    const both = bootstrap(trials, average, {
      method: "percentile",
      seed: 1,
      clusterIds,
      hierarchical: true,
    });
    expect([rows.standard_error, rows.confidence_interval]).toEqual([0, null]);
    expect(both.standard_error).toBeCloseTo(Math.sqrt(0.25 / 12), 2);
  });

  test("gives no interval where every resample agrees, as at 100 %", () => {
    for (const method of ["percentile", "basic", "bca"] as const) {
      const result = bootstrap([1, 1, 1, 1], average, { method, seed: 1 });
      expect(result).toMatchObject({ estimate: 1, standard_error: 0, confidence_interval: null });
    }
  });

  test("gives neither error nor interval for one value or one cluster", () => {
    const nothing = { standard_error: null, confidence_interval: null };
    expect(bootstrap([], average, { method: "bca", seed: 1 })).toMatchObject({ estimate: null, ...nothing });
    expect(bootstrap([3], average, { method: "bca", seed: 1 })).toMatchObject({ estimate: 3, ...nothing });
    const oneCluster = { method: "bca", seed: 1, clusterIds: ["a", "a"] } as const;
    expect(bootstrap([1, 2], average, oneCluster)).toMatchObject({ estimate: 1.5, ...nothing });
  });

  test("a wider confidence contains a narrower one", () => {
    expect(bca(0.99)[0]).toBeLessThan(bca(0.8)[0]);
    expect(bca(0.99)[1]).toBeGreaterThan(bca(0.8)[1]);
  });
});
