import { describe, expect, test } from "vitest";
import { EvalcubeError } from "../../src/errors.ts";
import * as stats from "../../src/stats/index.ts";

/** A value from outside the types, as a JavaScript caller may pass it. */
const untyped = (text: string) => JSON.parse(text);

const wrong: Record<string, () => unknown> = {
  "NaN in the values": () => stats.mean([1, Number.NaN]),
  "an infinite value": () => stats.standardError([1, Infinity]),
  "a confidence in percent": () => stats.tInterval([1, 2, 3], 95),
  "a negative n": () => stats.wilson(0, -1),
  "more successes than rows": () => stats.clopperPearson(6, 5),
  "more passes than trials": () => stats.passAtK(5, 6, 1),
  "k = 0": () => stats.passHatK(5, 2, 0),
  "a fraction of a discordant row": () => stats.mcnemar(1.5, 2),
  "an unknown McNemar method": () => stats.mcnemar(1, 2, { method: untyped('"fisher"') }),
  "an unknown rank method": () => stats.wilcoxonSignedRank([1, 2], { method: untyped('"auto"') }),
  "more rows that differ than rows": () => stats.pairedRatesInterval({ higher: 3, lower: 3, n: 5 }),
  "unknown kappa weights": () => stats.cohenKappa([[1]], { weights: untyped('"cubic"') }),
  "runs of different length": () => stats.pairedDifference([1, 2], [1]),
  "cluster ids of different length": () => stats.clusteredStandardError([1, 2], ["a"]),
  "a fractional seed": () =>
    stats.signFlip(
      Array.from({ length: 21 }, () => 1),
      { seed: 0.5 },
    ),
  "too many differences for the exact distribution": () =>
    stats.wilcoxonSignedRank(
      Array.from({ length: 501 }, (_, i) => i + 1),
      { method: "exact" },
    ),
  "a p value above 1": () => stats.holm([0.2, 1.2]),
  "a table that is not square": () => stats.cohenKappa([[1, 2]]),
  "a negative count": () => stats.cohenKappa([[-1]]),
  "subjects with different numbers of raters": () =>
    stats.fleissKappa([
      [2, 0],
      [2, 1],
    ]),
  "a margin of 0": () => stats.tost([1, 2], { margin: 0 }),
  "a difference of 0 to detect": () => stats.sampleSize({ delta: 0, variance: 1 }),
  "a negative variance": () => stats.minimumDetectableEffect({ n: 5, variance: -1 }),
  "degrees of freedom of 0": () => stats.studentTQuantile(0.9, 0),
  "a probability above 1": () => stats.normalQuantile(1.1),
  "a sensitivity above 1": () => stats.roganGladen(0.5, 1.1, 0.5),
};

describe("wrong use is refused with a code and a message", () => {
  test.each(Object.entries(wrong))("%s", (_, use) => {
    expect(use).toThrow(EvalcubeError);
    expect(use).toThrow(
      expect.objectContaining({
        code: "invalid_argument",
        message: expect.stringMatching(/^(expected|unknown) /),
      }),
    );
  });
});

const ODD: readonly unknown[] = [
  null,
  undefined,
  1,
  -1,
  Number.NaN,
  true,
  "",
  "x",
  10n,
  Symbol("s"),
  () => 1,
  [],
  [null],
  [1, 2, 3],
  ["a"],
  [[1]],
  {},
  { x: 1 },
];
const THIRD: readonly unknown[] = [null, 1, "x", {}, []];

/** A function as an untyped program calls it. */
type Use = (...given: readonly unknown[]) => unknown;
const functions = Object.entries(stats) as [string, Use][];

/** What a function throws that is no error of ours. */
function bareFailure(use: Use, given: readonly unknown[]): unknown {
  try {
    use(...given);
    return null;
  } catch (error) {
    return error instanceof EvalcubeError ? null : error;
  }
}

describe("arguments of any type are answered or refused with a code", () => {
  test.each(functions)("%s", (_, use) => {
    const given = [
      ...ODD.flatMap((one) => [
        [one],
        ...ODD.flatMap((second) => [[one, second], ...THIRD.map((third) => [one, second, third])]),
      ]),
      ...ODD.flatMap((third) => [
        [[1, 2, 4], [1, 2, 3], third],
        [5, 3, third],
      ]),
    ];
    expect(given.filter((some) => bareFailure(use, some) !== null)).toEqual([]);
  });

  test.each<[string, Use, readonly unknown[]]>([
    ["method", stats.mcnemar as Use, [1, 2]],
    ["method", stats.wilcoxonSignedRank as Use, [[1, 2]]],
    ["seed", stats.signFlip as Use, [[1, 2]]],
    [
      "clusterIds",
      stats.pairedDifference as Use,
      [
        [1, 2],
        [2, 4],
      ],
    ],
    ["weights", stats.cohenKappa as Use, [[[1]]]],
    ["delta", stats.sampleSize as Use, []],
    ["margin", stats.tost as Use, [[1, 2]]],
  ])("with any %s: %o", (option, use, given) => {
    for (const value of ODD) expect(bareFailure(use, [...given, { [option]: value }])).toBeNull();
  });
});
