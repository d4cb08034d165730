import { describe, expect, it } from "vitest";
import {
  commonStart,
  diffTotals,
  pairTrials,
  type ActedTrial,
  type DiffPair,
} from "../../src/respond/steps/diff.ts";
import { compareText } from "../../src/model/text-order.ts";
import { seededRandom } from "../../src/stats/numeric/random.ts";

const SEED = Number(process.env["SEED"] ?? 42);

/** A trial whose actions are letters: the tool is the letter, whatever its case, the case an argument. */
function acted(trialId: string, letters: string, startedAt = 0n): ActedTrial {
  const actions = letters
    .split("")
    .map((action, i) => ({ action, name: action.toLowerCase(), step: 2 * i + 1 }));
  return { evaluationCallId: "e", rowDigest: "r", trialId, startedAt, actions };
}

const pairsOf = (failing: readonly ActedTrial[], passing: readonly ActedTrial[]) =>
  [...pairTrials(failing, passing)].filter((one) => one !== null);

const common = (own: ActedTrial, other: ActedTrial) => commonStart(own.actions, other.actions).common_actions;

/** The rule, one pair of trials after the other. */
function byRule(failing: readonly ActedTrial[], passing: readonly ActedTrial[]): string[] {
  return failing.flatMap((own) => {
    const best = passing.toSorted(
      (a, b) =>
        common(own, b) - common(own, a) ||
        a.actions.length - b.actions.length ||
        Number(a.startedAt - b.startedAt) ||
        compareText(a.trialId, b.trialId),
    )[0];
    return best === undefined ? [] : [`${own.trialId} ${best.trialId} ${common(own, best)}`];
  });
}

const pair = (row: string, index: number | null, name: string | null, other: string | null): DiffPair => ({
  evaluation_call_id: "e",
  row_digest: row,
  trial_id: "t",
  other_trial_id: "o",
  actions: 3,
  other_actions: 3,
  common_actions: 0,
  common_names: 0,
  first_difference: index === null ? null : { index, step: 1, name, other_step: 1, other_name: other },
});

describe(`where failing attempts leave passing ones (SEED=${SEED})`, () => {
  it("is the first action that differs, with the tool and the step of each side", () => {
    expect(commonStart(acted("a", "xYz").actions, acted("b", "xyzz").actions)).toEqual({
      common_actions: 1,
      common_names: 3,
      first_difference: { index: 2, step: 3, name: "y", other_step: 3, other_name: "y" },
    });
    expect(commonStart(acted("a", "xy").actions, acted("b", "xyz").actions).first_difference).toEqual({
      index: 3,
      step: null,
      name: null,
      other_step: 5,
      other_name: "z",
    });
    expect(commonStart(acted("a", "xy").actions, acted("b", "xy").actions).first_difference).toBeNull();
  });

  it("is told of the passing attempt that is followed longest, of several the shortest, the first, the least id", () => {
    const random = seededRandom(SEED);
    const letters = () =>
      Array.from({ length: Math.floor(random() * 6) + 1 }, () => "abAB".charAt(random() * 4)).join("");
    for (let run = 0; run < 400; run++) {
      const made = (name: string) =>
        Array.from({ length: Math.floor(random() * 9) }, (_, i) =>
          acted(`${name}${i}`, letters(), BigInt(Math.floor(random() * 3))),
        );
      const [failing, passing] = [made("f"), made("p")];
      const found = pairsOf(failing, passing);
      expect(found.map((one) => `${one.trial_id} ${one.other_trial_id} ${one.common_actions}`)).toEqual(
        byRule(failing, passing),
      );
    }
  });

  it("takes time by the number of actions, not of pairs of attempts", () => {
    const many = Array.from({ length: 4000 }, (_, i) =>
      acted(`t${String(i).padStart(4, "0")}`, "abcdefghij".repeat(5)),
    );
    // Every two attempts are 800 million comparisons.
    expect(pairsOf(many, many).every((one) => one.other_trial_id === "t0000")).toBe(true);
  });

  it("is summed up by index and by tools, rows counted once", () => {
    const pairs = [
      pair("r1", 2, "b", null),
      pair("r1", 2, "b", null),
      pair("r2", 1, null, "a"),
      pair("r3", 5, null, "a"),
      pair("r3", null, null, null),
      pair("r4", 7, "a", "c"),
    ];
    expect(diffTotals(pairs)).toEqual({
      rows: 4,
      trials: 6,
      identical: 1,
      median_index: 2,
      at: [
        { index: 1, trials: 1, rows: 1 },
        { index: 2, trials: 2, rows: 1 },
        { index: 5, trials: 1, rows: 1 },
        { index: 7, trials: 1, rows: 1 },
      ],
      instead: [
        { name: null, other_name: "a", trials: 2, rows: 2 },
        { name: "b", other_name: null, trials: 2, rows: 1 },
        { name: "a", other_name: "c", trials: 1, rows: 1 },
      ],
    });
    expect(diffTotals(pairs.slice(1, 4)).median_index).toBe(2);
    expect(diffTotals(pairs.slice(2, 4)).median_index).toBe(3);
    expect(diffTotals([])).toMatchObject({ rows: 0, median_index: null, at: [], instead: [] });
  });
});
