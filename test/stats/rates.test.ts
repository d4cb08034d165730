import { describe, test } from "vitest";
import {
  betaPosterior,
  clopperPearson,
  jeffreys,
  mcnemar,
  newcombe,
  normalQuantile,
  wilson,
} from "../../src/stats/index.ts";
import { expect } from "./matchers.ts";

describe("intervals of one rate", () => {
  test("Wilson", () => {
    expect(wilson(17, 20)).toAgreeWith([0.639581135259243, 0.9476312541037833]);
    expect(wilson(5, 5)).toAgreeWith([0.5655175352168252, 1]);
    expect(wilson(0, 10)).toAgreeWith([0, 0.27753279986288926]);
    expect(wilson(850, 1000)).toAgreeWith([0.8265313415731996, 0.8707899274869118]);
    expect(wilson(15, 20)).toAgreeWith([0.5312991223812559, 0.8881382985923344]);
    expect(wilson(1, 10)).toAgreeWith([0.017876213095072924, 0.40415002679523854]);
  });

  test("Clopper–Pearson", () => {
    expect(clopperPearson(17, 20)).toAgreeWith([0.621073173454686, 0.9679290628145363]);
    expect(clopperPearson(5, 5)).toAgreeWith([0.4781762498950185, 1]);
    expect(clopperPearson(0, 10)).toAgreeWith([0, 0.30849710781876083]);
  });

  test("Jeffreys without boundary convention", () => {
    expect(jeffreys(17, 20)).toAgreeWith([0.651422289141546, 0.9558686580248441]);
    expect(jeffreys(5, 5)).toAgreeWith([0.62062286, 0.99990658], 1e-8);
    expect(jeffreys(0, 10)).toAgreeWith([0.0000478904332, 0.217196268], 3e-9);
  });

  test("posterior with a uniform prior", () => {
    expect(betaPosterior(17, 20)).toAgreeWith([0.636576012983019, 0.9455364318215932]);
    expect(betaPosterior(5, 5)).toAgreeWith([0.5407418735600996, 0.9957892554855106]);
    expect(betaPosterior(0, 10)).toAgreeWith([0.002298972213814269, 0.28491415291815436]);
  });

  test("the bounds at no and at full success are exactly 0 and 1", () => {
    for (const n of [1, 3, 7, 30, 1000]) {
      expect([wilson(0, n)?.[0], wilson(n, n)?.[1]]).toEqual([0, 1]);
      expect([clopperPearson(0, n)?.[0], clopperPearson(n, n)?.[1]]).toEqual([0, 1]);
    }
  });

  test("none of 30 fails at most about 3 in 30: the rule of three", () => {
    expect(clopperPearson(0, 30, 0.9)?.[1]).toAgreeWith(0.09503385, 1e-7);
  });

  test("no rows have no interval", () => {
    for (const interval of [wilson, clopperPearson, jeffreys, betaPosterior])
      expect(interval(0, 0)).toBeNull();
  });

  test("20 of 20 and 18 of 20 tool calls overlap and do not differ by McNemar", () => {
    expect(betaPosterior(20, 20)).toAgreeWith([0.838902, 0.998795], 1e-6);
    expect(betaPosterior(18, 20)).toAgreeWith([0.696226, 0.969511], 1e-6);
    expect(mcnemar(2, 0).p_value).toAgreeWith(0.5);
  });

  test("an effective, fractional n is allowed", () => {
    const [low = 0, high = 0] = wilson(8.5, 10.5) ?? [];
    expect(low).toBeGreaterThan(wilson(8, 10.5)?.[0] ?? 1);
    expect(high).toBeLessThan(1);
  });
});

describe("two independent rates", () => {
  test("Newcombe's method 10 on his published example", () => {
    expect(newcombe(56, 70, 48, 80)).toAgreeWith([0.05243147240236498, 0.33387265403690614]);
    expect(newcombe(0, 0, 48, 80)).toBeNull();
  });

  test("swapping the rates mirrors the interval", () => {
    const [low = 0, high = 0] = newcombe(56, 70, 48, 80, 0.9) ?? [];
    expect(newcombe(48, 80, 56, 70, 0.9)).toAgreeWith([-high, -low]);
  });
});

test("Wilson solves |p̂ − p| = z √(p(1 − p)/n)", () => {
  const z = normalQuantile(0.975);
  for (const bound of wilson(17, 20) ?? []) {
    expect(Math.abs(0.85 - bound)).toAgreeWith(z * Math.sqrt((bound * (1 - bound)) / 20), 1e-12);
  }
});
