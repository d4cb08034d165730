import { describe, it } from "vitest";
import { certifiedRate } from "../../src/stats/agreement/certificate.ts";
import { binomialCdf } from "../../src/stats/index.ts";
import { expect } from "../stats/matchers.ts";
import { ask, engineOf, type Pair } from "./pair-engine.ts";

/** Labels and verdicts: so many of each class, of which so many are found. */
function judged(trues: number, found: number, falses: number, rejected: number): Pair[] {
  return [
    ...Array.from({ length: trues }, (_, i): Pair => [true, i < found]),
    ...Array.from({ length: falses }, (_, i): Pair => [false, i >= rejected]),
  ];
}

async function certify(pairs: readonly Pair[]) {
  return ask(await engineOf(pairs), { at_least: 0.8 });
}

describe("the certificate of a judge", () => {
  it.each([
    // found, labels, at least, confidence; scipy 1.12.0: beta.ppf, and the least n of which binom.sf reaches 0.8.
    [51, 60, 0.8, 0.95, 0.7342595522427049, 466],
    [18, 20, 0.8, 0.95, 0.6830172859809176, 107],
    [20, 20, 0.8, 0.95, 0.8315665290169147, 0],
    [10, 10, 0.8, 0.95, 0.6915028921812392, 17],
    [95, 100, 0.8, 0.95, 0.8871650888945373, 0],
    [9, 10, 0.5, 0.95, 0.5549838829718046, 0],
    [40, 48, 0.8, 0.9, 0.7193192656874341, 848],
    [3, 4, 0.6, 0.95, 0.19412044968324346, 80],
    [99, 100, 0.95, 0.95, 0.9455406146079194, 142],
    [7, 10, 0.8, 0.95, 0.34754714994000274, null],
    [29, 30, 0.9, 0.99, 0.7772489349755662, 167],
    [83, 100, 0.8, 0.95, 0.7418245893678413, 1329],
  ])("of %i of %i labels at %f and %f is that of scipy", (found, n, atLeast, confidence, lower, needed) => {
    const rate = certifiedRate(found, n, atLeast, confidence);
    expect(rate).toMatchObject({ estimate: found / n, n, needed });
    expect(rate.lower).toAgreeWith(lower);
  });

  it("needs the least number of labels of all, by enumeration", () => {
    for (const [rate, atLeast] of [
      [0.9, 0.8],
      [0.75, 0.5],
      [0.99, 0.9],
      [1, 0.7],
    ] as const) {
      let [x, n] = [0, 0];
      do {
        n += 1;
        while (1 - binomialCdf(x - 1, n, atLeast) > 0.025) x += 1;
      } while (x > n || 1 - binomialCdf(x - 1, n, rate) < 0.8);
      const { needed, lower } = certifiedRate(rate * 100, 100, atLeast, 0.95);
      expect(needed).toBe((lower ?? 0) >= atLeast ? 0 : n);
    }
  });

  it("is given where both rates reach what is asked, and only then", async () => {
    const answer = await certify(judged(60, 59, 40, 39));
    expect(answer.certificate).toMatchObject({
      at_least: 0.8,
      certified: true,
      sensitivity: { n: 60, estimate: 59 / 60, needed: 0 },
      specificity: { n: 40, estimate: 39 / 40, needed: 0 },
    });
    expect(answer.corrected_means?.[0]?.judge_certified).toBe(true);
    const half = (await certify(judged(60, 59, 40, 30))).certificate;
    expect(half).toMatchObject({
      certified: false,
      sensitivity: { needed: 0 },
      specificity: { needed: null },
    });
  });

  it("is not given where a class has no labels", async () => {
    const { certificate } = await ask(await engineOf(judged(60, 60, 0, 0)), { at_least: 0.8 });
    expect(certificate).toMatchObject({
      certified: false,
      sensitivity: { needed: 0 },
      specificity: { estimate: null, lower: null, n: 0, needed: null },
    });
  });

  it("is the same of 1 and 0, and is refused of anything else", async () => {
    const pairs = judged(20, 18, 12, 11);
    const numbers = pairs.map(([a, b]): Pair => [Number(a), b]);
    const [truths, ones] = await Promise.all(
      [pairs, numbers].map(async (some) => ask(await engineOf(some), { at_least: 0.8 })),
    );
    expect(ones?.certificate).toEqual(truths?.certificate);
    for (const odd of [
      [0.5, 1],
      ["yes", "no"],
    ] as const)
      await expect(
        ask(await engineOf([...numbers.slice(0, 0), odd]), { at_least: 0.8 }),
      ).rejects.toMatchObject({
        path: ["at_least"],
      });
  });

  it("is not there unless it is asked for", async () => {
    expect(await ask(await engineOf(judged(2, 1, 2, 1)))).not.toHaveProperty("certificate");
  });
});
