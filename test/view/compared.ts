import type { Comparison } from "../../src/index.ts";
import { labelled } from "../support/labelled.ts";
import { evaluationNames } from "../../src/words/names.ts";
import {
  conclusion,
  type Conclusion,
  type Findings,
  type ShownEvaluation,
} from "../../src/words/conclusion.ts";
import { scoreOf, type Score } from "../../src/words/score.ts";
import { plainText } from "../../src/words/sentence.ts";

const INTERVAL = [-0.01296, 0.00386] as const;

/** A comparison of 1,319 rows that shows nothing, with some members changed. */
export function compared(members: Partial<Comparison> = {}): Comparison {
  const interval = members.confidence_interval === undefined ? INTERVAL : members.confidence_interval;
  return {
    baseline: "baseline",
    candidate: "x",
    scorer_key: "judge",
    path: "ok",
    value_type: "binary",
    direction: "higher",
    n_common: 1319,
    n_only_baseline: 0,
    n_only_candidate: 0,
    n_missing_baseline: 0,
    n_missing_candidate: 0,
    n_edited: 0,
    baseline_mean: 0.9666,
    candidate_mean: 0.9621,
    difference: -0.0045489,
    standard_error: 0.004288,
    confidence_interval: interval,
    adjusted_confidence_interval: interval,
    method: "mcnemar-mid-p",
    p_value: 0.377,
    p_value_adjusted: 0.377,
    equivalence_p_value_adjusted: null,
    verdict: "inconclusive",
    reason: null,
    minimum_detectable_effect: 0.012014,
    rows_to_detect: 9300,
    correction: null,
    rows_improved: 13,
    rows_regressed: 19,
    rows_tied: 1287,
    ...members,
  };
}

export const PASS = scoreOf({ scorer_key: "judge", path: "ok" }, "binary", { scorers: ["judge.ok"] });
export const PLAIN = scoreOf({ scorer_key: "words", path: null }, "continuous", {});
export const LOWER = scoreOf({ scorer_key: "cost", path: null }, "continuous", { lower_is_better: ["cost"] });

/** What one comparison was asked for with. */
export const TERMS = { confidence: 0.95, margin: null, familySize: 1, adjust: "holm" } as const;

/** An evaluation with a mean, and its comparison with the baseline. */
export interface Entry {
  readonly id: string;
  readonly display_name?: string | null;
  readonly mean?: number | null;
  readonly rows?: number;
  readonly interval?: readonly [number, number] | null;
  readonly comparison?: Comparison | null;
}

/** The first entry is the baseline. */
export function concluded(
  entries: readonly Entry[],
  score: Score | null = PASS,
  more: Partial<Findings> = {},
): Conclusion {
  const names = evaluationNames(entries.map(({ id, display_name = null }) => labelled(id, display_name)));
  const evaluations = entries.flatMap((one, i): ShownEvaluation[] => {
    const name = names[i];
    if (name === undefined) return [];
    const { mean = 0.5, rows = 50, interval = [0.4, 0.6], comparison = null } = one;
    const stats = { row_mean: mean, scored_row_count: rows, confidence_interval: interval };
    return [{ name, stats, comparison }];
  });
  const terms = { baseline: entries[0]?.id ?? "", compared: true, withBest: false, ...TERMS };
  return conclusion({ evaluations, score, ...terms, ...more });
}

/** The headline, then each sentence after its mark. */
export function toldAll({ headline, sentences }: Conclusion): string[] {
  return [plainText(headline), ...sentences.map(({ mark, sentence }) => `${mark} ${plainText(sentence)}`)];
}
