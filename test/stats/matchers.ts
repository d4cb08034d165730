import { expect } from "vitest";

declare module "vitest" {
  interface Matchers<T> {
    /** Relative error of at most `tolerance` (1e-9), absolute against 0; of an interval at both bounds. */
    toAgreeWith: (expected: number | readonly number[], tolerance?: number) => T;
  }
}

expect.extend({
  toAgreeWith(actual: unknown, expected: number | readonly number[], tolerance = 1e-9) {
    const found = [actual].flat();
    const wanted = [expected].flat();
    const pass =
      found.length === wanted.length &&
      wanted.every((value, i) => relativeError(found[i], value) <= tolerance);
    return {
      pass,
      message: () => `${found.join(", ")} does not agree with ${wanted.join(", ")} to ${tolerance}`,
    };
  },
});

function relativeError(actual: unknown, expected: number): number {
  if (typeof actual !== "number") return Infinity;
  return Math.abs(actual - expected) / (expected === 0 ? 1 : Math.abs(expected));
}

export { expect };
