import { shownType } from "./score.ts";
import type { Comparison } from "../respond/compare/comparison.ts";
import type { ComparedSlicing, Slice } from "../respond/compare/slices.ts";
import type { SlicedRows, SliceValue, Slicing } from "../respond/summary/slicing.ts";
import { isShown } from "../stats/tests/verdict.ts";
import { cutText } from "./cut-text.ts";
import { counted, countText, differenceText, meanText, signedText, type ValueType } from "./figures.ts";
import { standingOf, type Standing } from "./standings.ts";

const LONGEST_VALUE = 60;

/** One value: text as it is, in quotes where it reads as something else. */
export function valueText(value: SliceValue): string {
  if (typeof value !== "string") return String(value);
  const isPlain = value.trim() === value && value !== "" && !/^(?:true|false|null|-?\d.*|".*)$/s.test(value);
  const text = cutText(value.replaceAll(/\s+/g, " "), LONGEST_VALUE);
  return isPlain ? text : JSON.stringify(text);
}

/** The values of a slice alone: `law`, `law, 2`. */
export function sliceText(value: readonly SliceValue[]): string {
  return value.map(valueText).join(", ");
}

/** A slice of a comparison alone; one by what rows took with what its rows took: `1 of 3: 2 to 5`. */
export function sliceLabel({ value, range }: Pick<Slice, "value" | "range">): string {
  if (range === undefined) return sliceText(value);
  const text = value.join();
  const [least, most] = range.map((end) => meanText(end, "continuous"));
  return least === most ? `${text}: ${least}` : `${text}: ${least} to ${most}`;
}

/** A slice with its fields: `inputs.topic = law and inputs.level = 2`. */
export function sliceName(
  { fields }: Pick<Slicing, "fields">,
  value: readonly SliceValue[],
  told: (value: SliceValue) => string = valueText,
): string {
  return fields.map((field, i) => `${field} = ${told(value[i] ?? "")}`).join(" and ");
}

/**
 * Where a shown difference comes from, in one sentence: `Most of it comes from inputs.topic = law: −60.0 points on 20
 * rows, −0.1 on the 40 others.` null where no difference is shown, and without slices. It tells where, never why.
 */
export function sliceSentence(
  comparison: Comparison,
  slicing: (Slicing & Pick<ComparedSlicing, "judged">) | undefined,
  told: (value: SliceValue) => string = valueText,
): string | null {
  const { verdict, explained_by: found } = comparison;
  const type = shownType(comparison);
  if (!isShown(verdict)) return null;
  if (slicing === undefined || slicing.fields.length === 0 || slicing.judged === false) return null;
  const tried = slicing.fields_tried;
  const of = tried === undefined ? "" : ` (of ${counted(tried.length, "field")} tried)`;
  if (found == null) return `No value of ${slicing.fields.join(" and ")} explains most of it${of}.`;
  const own = `${differenceText(found.difference, type)} on ${counted(found.n_common, "row")}`;
  const rest = `${signedText(found.rest_difference, type)} on the ${counted(found.rest_n_common, "other")}`;
  return `Most of it comes from ${sliceName(slicing, found.value, told)}: ${own}, ${rest}${of}.`;
}

/** The standing of a slice, as of a comparison. */
export function sliceStanding(slice: Slice): Standing {
  const reason = slice.method === null ? "too few rows" : null;
  return standingOf({ ...slice, reason });
}

/** What a contribution adds to the whole difference, without a unit. */
export function contributionText({ contribution }: Slice, type: ValueType): string {
  return contribution === null ? differenceText(null, type) : signedText(contribution, type);
}

/** Whether the interval of a slice leaves out 0 though its verdict, adjusted for the other slices, shows nothing. */
export function isShownAlone({ confidence_interval: interval, verdict }: Slice): boolean {
  return interval !== null && (interval[0] > 0 || interval[1] < 0) && verdict === "inconclusive";
}

const MOST_NAMED = 12;

/** What stands below slices: those that are not judged, and the rows that are in none. */
export function sliceNotes({ fields, slice_count: count, others }: Slicing, one: Comparison): string[] {
  const left = count - (one.slices?.length ?? 0);
  const { n_without_field: without = 0 } = one;
  return [
    ...(left <= 0 ? [] : [`${countText(left)} more: ${othersText(others, left)}`]),
    ...(without === 0
      ? []
      : [`${counted(without, "row")} ${without === 1 ? "has" : "have"} no ${fields.join(" and ")}`]),
  ];
}

function othersText(others: readonly SlicedRows[], left: number): string {
  const named = others
    .slice(0, MOST_NAMED)
    .map(({ value, row_count: rows }) => `${sliceText(value)} (${counted(rows, "row")})`);
  return [...named, ...(left > named.length ? ["…"] : [])].join(", ");
}
