import { RequestError } from "../../errors.ts";
import type { CompareRequest } from "../../request/compare-request.ts";
import type { Comparison } from "../../respond/compare/comparison.ts";
import type { SliceValue } from "../../respond/summary/slicing.ts";
import { changeLines, comparedSides, conclusionLines } from "../../words/comparison-words.ts";
import { ARGUMENTS, argumentsOf } from "../base/arguments.ts";
import { nameText } from "../../model/name-text.ts";
import { valueText } from "../../words/slices.ts";
import { named, spoken, withoutNulls } from "../base/naming.ts";
import { commandRequest, tool } from "../base/tool.ts";

export const compare = tool({
  name: "compare",
  title: "Compare evaluations",
  description:
    'Is a run better or worse than another, by how much, beyond chance? Sentences, then figures on shared rows. Quote the sentence; do not subtract means. The verdict inconclusive is "not shown different", never "no difference": that needs margin and the verdict equivalent. Next: rows with moved, to see what changed.',
  input: {
    ...argumentsOf("project", "baseline", "candidates", "scorers", "lower_is_better", "confidence", "adjust"),
    ...argumentsOf("margin", "cluster_by", "edited_rows", "filters", "cursor"),
    ...argumentsOf("count_errors_as", "count_nulls_as"),
    baseline: ARGUMENTS.baseline.describe("such as latest~1"),
    cluster_by: ARGUMENTS.cluster_by.describe("inputs.PATH of dependent rows"),
    by: ARGUMENTS.slice_by.describe("slices: inputs.PATH, auto, or of what rows took"),
  },
  quotes: true,
  run: async (asked) => {
    const { engine, project, given, signal } = asked;
    const { request, warned, labelsOf } = await named<CompareRequest>(asked, given);
    const answer = await engine.compareEvaluations(project, request, { signal }).catch((error: unknown) => {
      // Where no row is shared, it may be the filters that name what no row has.
      if (error instanceof RequestError)
        warned(error.issues.flatMap(({ msg }) => /filters: no .*$/s.exec(msg) ?? []));
      throw error;
    });
    const sides = comparedSides(answer);
    const names = labelsOf(sides.flatMap(({ baseline, candidate }) => [baseline, candidate]));
    const compared = { answer, request, sides, names, told: toldValue };
    const lines = [...changeLines(compared, nameText), ...conclusionLines(compared, spoken)];
    const { confidence, adjust, slicing } = answer;
    const { others: _, ...sliced } = slicing ?? {};
    return {
      warnings: warned([...answer.warnings, ...(slicing?.judged === false ? (answer.notes ?? []) : [])]),
      items: withoutNulls(answer.comparisons.map(withQuotedValues)),
      says: () => lines,
      data: (comparisons) => ({
        confidence,
        adjust,
        ...(slicing === undefined ? {} : { slicing: sliced }),
        comparisons,
      }),
      request: () => commandRequest("compare", project, request),
    };
  },
});

/** What cannot be a sentence of a stranger: a number, true, false, or one short word. */
const WORD = /^"?(?:[\p{L}\p{N}_.+-]{1,32}|\d{1,2} of \d{1,2})"?$/u;

/** The value of a slice as a sentence may have it: whoever wrote the rows wrote it. */
function toldValue(value: SliceValue): string {
  const text = valueText(value);
  return WORD.test(text) ? text : "(a text, see explained_by)";
}

/** The same comparison, where other texts that slices stand for are in quoted fields. */
function withQuotedValues({ slices, explained_by: found, ...one }: Comparison) {
  return {
    ...one,
    ...(slices === undefined ? {} : { slices: slices.map(withQuotedValue) }),
    ...(found === undefined ? {} : { explained_by: found === null ? null : withQuotedValue(found) }),
  };
}

function withQuotedValue<Part extends { readonly value: readonly SliceValue[] }>(part: Part) {
  const value = part.value.map((one) => (WORD.test(valueText(one)) ? one : { quoted: one }));
  return { ...part, value };
}
