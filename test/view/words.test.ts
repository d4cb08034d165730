import fc from "fast-check";
import { labelled } from "../support/labelled.ts";
import { describe, expect, it } from "vitest";
import type { Comparison } from "../../src/index.ts";
import { claimFigures } from "../../src/words/claim-figures.ts";
import { evaluationNames } from "../../src/words/names.ts";
import { hasGoodSide, scoreOf, type Score } from "../../src/words/score.ts";
import { plainText } from "../../src/words/sentence.ts";
import { claimOf, labelOf, markOf, standingOf, toneOf } from "../../src/words/standings.ts";
import { hostileTexts } from "../support/hostile-texts.ts";
import { compared, concluded, LOWER, PASS, PLAIN, toldAll, type Entry } from "./compared.ts";

const X = { text: "X", full: "X" };
const Y = { text: "Y", full: "Y" };
const TERMS = { confidence: 0.95, margin: 0.01, familySize: 1, adjust: "holm" } as const;

const MADE: Readonly<Record<string, Partial<Comparison>>> = {
  improved: {
    verdict: "improved",
    difference: 0.021,
    candidate_mean: 0.9876,
    confidence_interval: [0.01, 0.03],
    p_value_adjusted: 0.00001,
    minimum_detectable_effect: null,
    rows_improved: 41,
    rows_regressed: 13,
  },
  regressed: {
    verdict: "regressed",
    difference: -0.021,
    candidate_mean: 0.9456,
    confidence_interval: [-0.03, -0.01],
    p_value_adjusted: 0.0039,
    minimum_detectable_effect: null,
    rows_improved: 1041,
    rows_regressed: 1,
  },
  equivalent: { verdict: "equivalent", minimum_detectable_effect: null },
  same: {
    difference: 0,
    candidate_mean: 0.9666,
    confidence_interval: [0, 0],
    p_value_adjusted: 1,
    minimum_detectable_effect: null,
    rows_improved: 0,
    rows_regressed: 0,
    rows_tied: 1319,
  },
  inconclusive: {},
  few: {
    n_common: 1,
    confidence_interval: null,
    p_value: null,
    p_value_adjusted: null,
    method: null,
    reason: "one row only has a value in both",
    minimum_detectable_effect: null,
  },
  none: {
    n_common: 0,
    difference: null,
    confidence_interval: null,
    p_value_adjusted: null,
    minimum_detectable_effect: null,
  },
};

/** The same of numbers: where lower is better, a gain is a negative difference. */
function numbers(members: Partial<Comparison>, { lower_is_better: lower }: Score): Comparison {
  const one = compared({ ...members, baseline_mean: 4.25, candidate_mean: 4.245 });
  const { difference, confidence_interval: interval } = one;
  if (!lower || difference === null || interval === null) return one;
  const flipped = [-interval[1], -interval[0]] as const;
  return {
    ...one,
    difference: -difference,
    confidence_interval: flipped,
    adjusted_confidence_interval: flipped,
  };
}

const PERCENTAGES = "(95% interval −1.3 to +0.4, p = 0.38, 1,319 shared rows).";
const DIGITS = "(95% interval −0.0130 to +0.0039, p = 0.38, 1,319 shared rows).";
const FLIPPED = "(95% interval −0.0039 to +0.0130, p = 0.38, 1,319 shared rows).";

/** Standing, score; label, mark, colour, claim, figures. */
const GOLDEN: readonly (readonly [
  standing: string,
  score: Score,
  label: string,
  mark: string,
  tone: string,
  claim: string,
  figures: string | null,
])[] = [
  [
    "improved",
    PASS,
    "better",
    "▲",
    "good",
    "X is better than Y in judge.ok.",
    "98.8% against 96.7%: +2.1 points (95% interval +1.0 to +3.0, p < 0.0001, 1,319 shared rows). 41 better, 13 rows worse.",
  ],
  [
    "improved",
    PLAIN,
    "higher",
    "▲",
    "neutral",
    "X is higher than Y in words.",
    "4.25 against 4.25: +0.0210 (95% interval +0.0100 to +0.0300, p < 0.0001, 1,319 shared rows). 41 higher, 13 rows lower.",
  ],
  [
    "improved",
    LOWER,
    "better",
    "▲",
    "good",
    "X is better than Y in cost.",
    "4.25 against 4.25: −0.0210 (95% interval −0.0300 to −0.0100, p < 0.0001, 1,319 shared rows). 41 better, 13 rows worse.",
  ],
  [
    "regressed",
    PASS,
    "worse",
    "▼",
    "bad",
    "X is worse than Y in judge.ok.",
    "94.6% against 96.7%: −2.1 points (95% interval −3.0 to −1.0, p = 0.0039, 1,319 shared rows). 1,041 better, 1 row worse.",
  ],
  [
    "regressed",
    PLAIN,
    "lower",
    "▼",
    "neutral",
    "X is lower than Y in words.",
    "4.25 against 4.25: −0.0210 (95% interval −0.0300 to −0.0100, p = 0.0039, 1,319 shared rows). 1,041 higher, 1 row lower.",
  ],
  [
    "regressed",
    LOWER,
    "worse",
    "▼",
    "bad",
    "X is worse than Y in cost.",
    "4.25 against 4.25: +0.0210 (95% interval +0.0100 to +0.0300, p = 0.0039, 1,319 shared rows). 1,041 better, 1 row worse.",
  ],
  [
    "equivalent",
    PASS,
    "as good",
    "≈",
    "neutral",
    "X is as good as Y in judge.ok.",
    `96.2% against 96.7%: −0.5 points ${PERCENTAGES} That is within ±1.0 points.`,
  ],
  [
    "equivalent",
    PLAIN,
    "as good",
    "≈",
    "neutral",
    "X is as good as Y in words.",
    `4.25 against 4.25: −0.0045 ${DIGITS} That is within ±0.0100.`,
  ],
  [
    "equivalent",
    LOWER,
    "as good",
    "≈",
    "neutral",
    "X is as good as Y in cost.",
    `4.25 against 4.25: +0.0045 ${FLIPPED} That is within ±0.0100.`,
  ],
  [
    "same",
    PASS,
    "same on every row",
    "=",
    "neutral",
    "X and Y have the same judge.ok on every shared row.",
    "96.7% against 96.7%: 0.0 points (95% interval 0.0 to 0.0, p = 1.0, 1,319 shared rows).",
  ],
  [
    "same",
    PLAIN,
    "same on every row",
    "=",
    "neutral",
    "X and Y have the same words on every shared row.",
    "4.25 against 4.25: 0.0000 (95% interval 0.0000 to 0.0000, p = 1.0, 1,319 shared rows).",
  ],
  [
    "same",
    LOWER,
    "same on every row",
    "=",
    "neutral",
    "X and Y have the same cost on every shared row.",
    "4.25 against 4.25: 0.0000 (95% interval 0.0000 to 0.0000, p = 1.0, 1,319 shared rows).",
  ],
  [
    "inconclusive",
    PASS,
    "not shown different",
    "○",
    "neutral",
    "X is not shown different from Y in judge.ok.",
    `96.2% against 96.7%: −0.5 points ${PERCENTAGES} A difference of 1.2 points would have been found four times in five. To find one as small as this, about 9,000 rows (6,000 to 20,000) would be needed.`,
  ],
  [
    "inconclusive",
    PLAIN,
    "not shown different",
    "○",
    "neutral",
    "X is not shown different from Y in words.",
    `4.25 against 4.25: −0.0045 ${DIGITS} A difference of 0.0120 would have been found four times in five. To find one as small as this, about 9,000 rows (6,000 to 20,000) would be needed.`,
  ],
  [
    "inconclusive",
    LOWER,
    "not shown different",
    "○",
    "neutral",
    "X is not shown different from Y in cost.",
    `4.25 against 4.25: +0.0045 ${FLIPPED} A difference of 0.0120 would have been found four times in five. To find one as small as this, about 9,000 rows (6,000 to 20,000) would be needed.`,
  ],
  [
    "few",
    PASS,
    "too few rows",
    "?",
    "neutral",
    "Too few rows to compare X with Y in judge.ok.",
    "1 shared row; at least 2 are needed.",
  ],
  [
    "few",
    PLAIN,
    "too few rows",
    "?",
    "neutral",
    "Too few rows to compare X with Y in words.",
    "1 shared row; at least 2 are needed.",
  ],
  [
    "few",
    LOWER,
    "too few rows",
    "?",
    "neutral",
    "Too few rows to compare X with Y in cost.",
    "1 shared row; at least 2 are needed.",
  ],
  ["none", PASS, "no shared row", "?", "neutral", "X and Y share no row with judge.ok.", null],
  ["none", PLAIN, "no shared row", "?", "neutral", "X and Y share no row with words.", null],
  ["none", LOWER, "no shared row", "?", "neutral", "X and Y share no row with cost.", null],
];

const undecided = (members: Partial<Comparison>) =>
  claimFigures(compared(members), PASS, TERMS)?.split("shared rows).")[1];

const needed = (rows: number | null) => undecided({ difference: 0.01, rows_to_detect: rows });

describe("a standing", () => {
  it.each(GOLDEN)("is said in one way: %s, %o", (standing, score, label, mark, tone, claim, figures) => {
    const made = MADE[standing] ?? {};
    const one = score.value_type === "binary" ? compared(made) : numbers(made, score);
    expect(standingOf(one)).toBe(standing);
    const found = standingOf(one);
    expect([
      labelOf(found, score),
      markOf(found),
      toneOf(found, score),
      plainText(claimOf(found, X, Y, score)),
      claimFigures(one, score, TERMS),
    ]).toEqual([label, mark, tone, claim, figures]);
  });

  it("is none where nothing could be compared", () => {
    expect([standingOf(null), claimFigures(null, PASS, TERMS)]).toEqual(["none", null]);
  });

  it("tells how many rows would be needed, with one digit, and as the spread of so many rows may be", () => {
    expect(needed(1899)).toBe(
      " A difference of 1.2 points would have been found four times in five. To find one as small as this, about 2,000 rows (1,000 to 3,000) would be needed.",
    );
    expect(needed(12)).toContain(" about 10 rows (8 to 20) ");
    expect(needed(1_000_001)).toContain(" To find one as small as this, more than a million rows would");
    expect(needed(null)).toBe(" A difference of 1.2 points would have been found four times in five.");
  });

  it("says that no difference could have shown, and nothing where a larger one was found", () => {
    const none = { difference: 0.01, minimum_detectable_effect: null, rows_to_detect: 400 };
    expect(undecided(none)).toContain(" No difference could have shown with so few rows. To find one");
    expect(undecided({ difference: 0.013, minimum_detectable_effect: 0.012 })).toBe("");
    expect(undecided({ method: "sign-exact", minimum_detectable_effect: null })).toBe("");
  });

  it("says that a difference would have shown alone", () => {
    const one = compared({ p_value: 0.035, p_value_adjusted: 0.11 });
    expect(claimFigures(one, PASS, { ...TERMS, familySize: 8 })).toBe(
      "96.2% against 96.7%: −0.5 points (95% together −1.3 to +0.4, p = 0.11, 1,319 shared rows). Alone it would have shown (p = 0.035); among 8 comparisons it does not (p = 0.11).",
    );
  });

  it("names the reason where there are too few clusters for a verdict", () => {
    const reason =
      "5 clusters, the largest with 6 of 10 rows, have 2.1 degrees of freedom; a verdict needs 4";
    const one = compared({ reason, method: null, confidence_interval: null, p_value_adjusted: null });
    expect([standingOf(one), claimFigures(one, PASS, TERMS)]).toEqual(["few", `${reason}.`]);
  });

  it("shows what does not exist as a dash", () => {
    const one = compared({
      confidence_interval: null,
      p_value_adjusted: null,
      method: null,
    });
    expect(claimFigures(one, PASS, { ...TERMS, confidence: 0.9, margin: null })).toBe(
      "96.2% against 96.7%: −0.5 points (90% interval –, p = –, 1,319 shared rows).",
    );
  });
});

/** Whether `judge.help.ful` is named, whether lower is better, and whether it has a good side. */
const good = (type: "binary" | "continuous", request: object) => {
  const score = scoreOf({ scorer_key: "judge", path: "help.ful" }, type, request);
  return [score.named, score.lower_is_better, hasGoodSide(score)];
};

describe("a score", () => {
  it("has a good side where it is true and false, or where the request says which", () => {
    expect(good("binary", {})).toEqual([false, false, true]);
    expect(good("continuous", {})).toEqual([false, false, false]);
    expect(good("continuous", { scorers: null, lower_is_better: null })).toEqual([false, false, false]);
    expect(good("continuous", { scorers: ["judge"] })).toEqual([true, false, false]);
    expect(good("continuous", { scorers: ["judge.help"] })).toEqual([true, false, false]);
    expect(good("continuous", { scorers: ["judge.help.ful"] })).toEqual([true, false, false]);
    expect(good("continuous", { higher_is_better: ["judge.help"] })).toEqual([true, false, true]);
    expect(good("continuous", { scorers: ["judge.he", "jud", "ful", "judge.help.ful.x"] })).toEqual([
      false,
      false,
      false,
    ]);
    expect(good("continuous", { scorers: ["other"], lower_is_better: ["judge"] })).toEqual([
      true,
      true,
      true,
    ]);
    expect(scoreOf({ scorer_key: "a.b", path: null }, "continuous", { scorers: ["a\\.b"] })).toEqual({
      scorer_key: "a.b",
      path: null,
      key: "a\\.b",
      name: "a.b",
      value_type: "continuous",
      named: true,
      lower_is_better: false,
      direction: null,
    });
    expect(scoreOf({ scorer_key: "a.b", path: null }, "continuous", { scorers: ["a"] }).named).toBe(false);
  });
});

const named = (...names: (string | null)[]) =>
  names.map((display_name, i) => labelled(`id-${i}`, display_name));

const texts = (...names: (string | null)[]) => evaluationNames(named(...names)).map(({ text }) => text);
const short = (...names: (string | null)[]) => evaluationNames(named(...names)).map((one) => one.short);

describe("the names of evaluations", () => {
  it("are labels: display names, told apart, and ids where there is none, an empty one, or one that is another's id", () => {
    expect(texts("a", null, "b", "b", "", " ", "id-0")).toEqual([
      "a",
      "id-1",
      "b (…id-2)",
      "b (…id-3)",
      "id-4",
      "id-5",
      "id-6",
    ]);
    expect(texts("a (greedy)", "b (greedy)", "a (greedy)")).toEqual(["a (…id-0)", "b", "a (…id-2)"]);
    expect(texts("a (greedy)", "a (greedy)")).toEqual(["a (greedy) (…id-0)", "a (greedy) (…id-1)"]);
  });

  it("leave out the words that end all of them, from a space on, and keep the whole, and the id, as title", () => {
    expect(evaluationNames(named("gpt-4o (greedy)", "claude (greedy)"))).toEqual([
      { id: "id-0", text: "gpt-4o", short: "gpt-4o", full: "gpt-4o (greedy) (id-0)" },
      { id: "id-1", text: "claude", short: "claude", full: "claude (greedy) (id-1)" },
    ]);
    expect(texts("a on the set", "b on the set", "c, not on the set")).toEqual(["a", "b", "c, not"]);
    expect(texts("run-a", "gun-a")).toEqual(["run-a", "gun-a"]);
    expect(texts("large model")).toEqual(["large model"]);
    expect(texts("a (greedy)", null)).toEqual(["a (greedy)", "id-1"]);
    expect(texts()).toEqual([]);
  });

  it("keep them where two would be alike or one empty", () => {
    expect(texts(" model", "large model")).toEqual([" model", "large model"]);
    expect(texts("a x", "a  x", "b x")).toEqual(["a x", "a  x", "b x"]);
    expect(texts("model", "large model")).toEqual(["model", "large model"]);
  });

  it("give way in their middle where the room is short; what tells them apart is whole", () => {
    const long = "support assistant with tools, small";
    expect(short(long, "b")).toEqual(["support a… with tools, small", "b"]);
    expect(short(long, long)).toEqual(["suppor… tools, small (…id-0)", "suppor… tools, small (…id-1)"]);
    const inTheMiddle = ["large", "tiny!"].map((size) => `support assistant, ${size}, of ${"x".repeat(30)}`);
    expect(short("b", ...inTheMiddle)).toEqual(["b", "support …, large, o…xx", "support …, tiny!, o…xx"]);
  });

  it.each(["short", "text"] as const)("are never alike, whatever is cut: %s", (member) => {
    const piece = fc.constantFrom(
      "ab ".repeat(10),
      "😀".repeat(9),
      "x",
      "…",
      "(12:04)",
      "ab ".repeat(100),
      "é",
    );
    const name = fc.array(piece, { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(fc.array(name, { maxLength: 12 }), (names) => {
        const cut = evaluationNames(named(...names)).map((one) => one[member]);
        expect(new Set(cut).size).toBe(names.length);
        expect(cut.every((text) => text.isWellFormed())).toBe(true);
      }),
    );
  });

  it("are made of a name of 100,000 characters in no time", () => {
    const long = " a".repeat(50_000);
    expect(texts(`x${long}`, `y${long}`)).toEqual(["x", "y"]);
  });
});

const better = (points: number) => compared({ ...MADE["improved"], difference: points / 100 });

const worse = (points: number) => compared({ ...MADE["regressed"], difference: -points / 100 });

const entries = (count: number, of: (i: number) => Partial<Entry>): Entry[] =>
  Array.from({ length: count }, (_, i) => ({ id: `m${i}`, ...of(i) }));

const againstY = (score: Score, mean: number) =>
  toldAll(
    concluded(
      [
        { id: "Y", mean: 0.942 },
        { id: "A", mean, comparison: better(3) },
        { id: "B", mean: 0.943, comparison: better(1) },
      ],
      score,
    ),
  );

const twelveOf = (count: number) =>
  toldAll(
    concluded([{ id: "Y", mean: 1 }, ...entries(count, (i) => ({ comparison: worse(i + 1) }))]),
  )[1]?.replace(/^.*points: /, "");

describe("a conclusion", () => {
  it("says that there is nothing, or no score", () => {
    expect(toldAll(concluded([]))).toEqual(["There is no evaluation to show."]);
    expect(toldAll(concluded([{ id: "X" }], null))).toEqual(["There is no score to show."]);
  });

  it("of one evaluation is its mean", () => {
    const one = { id: "X", mean: 0.42, interval: [0.315, 0.525], rows: 50 } as const;
    expect(toldAll(concluded([one]))).toEqual([
      "X has 42.0% in judge.ok, 95% interval 31.5% to 52.5%, over 50 rows.",
    ]);
    expect(toldAll(concluded([{ ...one, interval: null, rows: 1 }], PLAIN))).toEqual([
      "X has 0.4200 in words, 95% interval –, over 1 row.",
    ]);
    expect(toldAll(concluded([{ ...one, mean: null, rows: 0 }]))).toEqual(["X has no value in judge.ok."]);
  });

  it("of two is the claim and its figures", () => {
    const fewer = { n_common: 681, n_only_baseline: 630, n_missing_candidate: 8 };
    expect(toldAll(concluded([{ id: "Y" }, { id: "X", comparison: better(2.1) }]))).toEqual([
      "X is better than Y in judge.ok.",
      "▲ 98.8% against 96.7%: +2.1 points (95% interval +1.0 to +3.0, p < 0.0001, 1,319 shared rows). 41 better, 13 rows worse.",
    ]);
    expect(toldAll(concluded([{ id: "Y" }, { id: "X", comparison: compared(fewer) }]))).toEqual([
      "X is not shown different from Y in judge.ok.",
      "○ 96.2% against 96.7%: −0.5 points (95% interval −1.3 to +0.4, p = 0.38, 681 shared rows). A difference of 1.2 points would have been found four times in five. To find one as small as this, about 9,000 rows (6,000 to 20,000) would be needed.",
      "• Compared on shared rows only: X (681 of 1,319 rows).",
    ]);
    expect(toldAll(concluded([{ id: "Y" }, { id: "X", comparison: null }]))).toEqual([
      "X and Y share no row with judge.ok.",
    ]);
  });

  it("of several tells the best, and a sentence for each standing", () => {
    const all = concluded([
      { id: "Y", mean: 0.967 },
      { id: "A", mean: 0.9, comparison: worse(10) },
      { id: "B", mean: 0.96, comparison: compared() },
      { id: "C", mean: 0.95, comparison: worse(1.8) },
      {
        id: "D",
        mean: 0.961,
        comparison: compared({ difference: -0.001, minimum_detectable_effect: 0.013 }),
      },
      { id: "E", mean: 0.967, comparison: compared(MADE["same"]) },
      { id: "F", mean: null, comparison: null },
      { id: "G", mean: 0.5, comparison: compared(MADE["few"]) },
      { id: "H", mean: 0.96, comparison: compared(MADE["equivalent"]) },
      {
        id: "I",
        mean: 0.96,
        comparison: compared({ ...MADE["improved"], n_common: 10, n_only_candidate: 5 }),
      },
    ]);
    expect(toldAll(all)).toEqual([
      "Y has the highest mean of judge.ok: 96.7%. Of the 9 others, 1 is better, 1 is as good, 1 is the same on every shared row, 2 are not shown different, 2 are worse, 1 has too few shared rows and 1 shares no row.",
      "▲ Better than Y, by 2.1 points: I.",
      "≈ As good as Y: H.",
      "= The same as Y on every shared row: E.",
      "○ Not shown different from Y: D and B. A difference of 1.3 points would have been found four times in five.",
      "▼ Worse than Y, by 1.8 to 10.0 points: C and A.",
      "? Too few rows shared with Y: G.",
      "? No row shared with Y: F.",
      "• Compared on shared rows only: I (10 of 15 rows).",
    ]);
  });

  it("counts against a baseline that is not the best", () => {
    expect(againstY(PASS, 0.967)).toEqual([
      "Against Y (94.2%) in judge.ok: 2 are better.",
      "▲ Better than Y, by 1.0 to 3.0 points: A and B.",
    ]);
    expect(againstY(PLAIN, 0.967)).toEqual([
      "Against Y (0.9420) in words: 2 are higher.",
      "▲ Higher than Y, by 0.0100 to 0.0300: A and B.",
    ]);
    // Where lower is better, the least difference is the best.
    expect(againstY(LOWER, 0.967)).toEqual([
      "Y has the lowest mean of cost: 0.9420. Of the 2 others, 2 are better.",
      "▲ Better than Y, by 0.0100 to 0.0300: B and A.",
    ]);
  });

  it("names at most twelve", () => {
    expect(twelveOf(12)).toBe("m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10 and m11.");
    expect(twelveOf(13)).toBe("m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11 and 1 other.");
    expect(twelveOf(43)).toBe("m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11 and 31 others.");
  });

  it("says that a score is not compared", () => {
    expect(toldAll(concluded([{ id: "Y" }, { id: "X" }], PLAIN, { compared: false }))).toEqual([
      "Y has 0.5000 in words, 95% interval 0.4000 to 0.6000.",
      "• This page does not compare words.",
    ]);
  });

  it("has no mean of a baseline without a value", () => {
    const told = toldAll(
      concluded([{ id: "Y", mean: null }, ...entries(1200, () => ({ comparison: null }))]),
    );
    expect(told[0]).toBe("Against Y in judge.ok: 1,200 share no row.");
  });

  it("keeps every name apart from its own words", () => {
    for (const [i, name] of hostileTexts.entries()) {
      const score = { ...PASS, name };
      const names = [
        { id: "Y", mean: 1 },
        { id: "X", display_name: name, comparison: worse(1) },
        { id: "Z", comparison: worse(2) },
      ];
      const { headline, sentences } = concluded(names, score);
      const shown = evaluationNames(
        names.map(({ id, display_name = null }) => labelled(id, display_name)),
      )[1];
      const parts = [...headline, ...sentences.flatMap(({ sentence }) => [...sentence])];
      expect(parts.filter((part) => typeof part === "string").join("|"), `text ${i}`).toBe(
        " has the highest mean of |: 100.0%. Of the 2 others, 2 are worse.|Worse than |, by 1.0 to 2.0 points: | and |.",
      );
      expect(parts.filter((part) => typeof part !== "string")).toContainEqual({ text: name, full: name });
      expect(parts).toContainEqual(shown);
    }
  });

  it("never says more than a test does", () => {
    const words = GOLDEN.map((golden) => JSON.stringify(golden)).join(" ");
    expect(words).not.toMatch(/\b(significant|wins?|tied?|ties|no difference)\b/);
  });
});
