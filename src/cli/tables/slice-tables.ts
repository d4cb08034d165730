import { cellsOf, figure, type Cells, type CellColumn } from "../../text/text-table.ts";
import type { Comparison, Slice } from "../../index.ts";
import { countText, differenceText, intervalName, meanText, probabilityText } from "../../words/figures.ts";
import { sliceIntervalCell, sliceTerms } from "../../words/claim-figures.ts";
import { scoreName, shownType } from "../../words/score.ts";
import {
  contributionText,
  isShownAlone,
  sliceLabel,
  sliceNotes,
  sliceSentence,
  sliceStanding,
} from "../../words/slices.ts";
import { labelOf, markOf } from "../../words/standings.ts";
import { oneLine } from "../../model/plain-line.ts";
import { scoreAt, termsOf, type Compared } from "../../words/comparison-words.ts";
import { fitLines, shownTable, type ShownTable, type TableView } from "./screen-table.ts";

/** The slices of a comparison: a title, a table, and what is said of them below it. */
interface SliceCells extends Cells {
  readonly title: string;
  readonly notes: readonly string[];
}

/** The slices of every comparison; none without slices. */
export function sliceCells(compared: Compared): SliceCells[] {
  const { slicing, comparisons } = compared.answer;
  if (slicing === undefined || slicing.fields.length === 0) return [];
  return comparisons.map((one) => sliceCellsOf(compared, one));
}

/** Where `auto` found no field; null otherwise. */
export function noSlices({ answer: { slicing } }: Compared): string | null {
  const none = slicing !== undefined && slicing.fields.length === 0;
  return none ? "No field of the rows groups them: none has 2 to 20 values on enough rows." : null;
}

/** Tables of the slices, each below its title. */
export function sliceTables(compared: Compared, view: TableView): ShownTable[] {
  const said = (text: string) => fitLines(oneLine(text), view);
  const tables = sliceCells(compared).map(({ title, columns, rows, notes }) => {
    const { text, missing } = shownTable(columns, rows, view);
    return { text: [said(title), text, ...notes.map(said)].join("\n"), missing };
  });
  const none = noSlices(compared);
  return none === null
    ? tables
    : [{ text: said(none), missing: { records: null, columns: [], isCut: false } }];
}

function sliceCellsOf(compared: Compared, one: Comparison): SliceCells {
  const { answer, names } = compared;
  const { slicing } = answer;
  const { slices = [] } = one;
  const candidate = names.get(one.candidate) ?? one.candidate;
  const several = answer.comparisons.some((other) => other.candidate !== one.candidate);
  const sentence = several ? sliceSentence(one, slicing) : null;
  return {
    title: `${scoreName(one)} of ${candidate} by ${slicing?.fields.join(" and ")}`,
    ...cellsOf(sliceColumns(compared, one), slices),
    notes: [
      ...(slices.some(isShownAlone) ? [`* Alone it would have shown; among all slices it does not.`] : []),
      ...(slicing === undefined ? [] : sliceNotes(slicing, one)),
      ...(sentence === null ? [] : [sentence]),
    ],
  };
}

function sliceColumns(compared: Compared, one: Comparison): readonly CellColumn<Slice>[] {
  const type = shownType(one);
  const score = scoreAt(compared, one);
  const terms = sliceTerms(termsOf(compared));
  const verdictOf = (slice: Slice) =>
    slice.reason === undefined
      ? `${markOf(sliceStanding(slice))} ${labelOf(sliceStanding(slice), score)}`
      : "not judged";
  return [
    { head: "slice", labels: true, telling: 8, cell: sliceLabel },
    figure("rows", 5, (slice) => countText(slice.n_common)),
    figure("baseline", 2, (slice) => meanText(slice.baseline_mean, type)),
    figure("candidate mean", 2, (slice) => meanText(slice.candidate_mean, type)),
    figure("difference", 6, (slice) => differenceText(slice.difference, type)),
    figure(intervalName(compared.answer.confidence), 3, (slice) => sliceIntervalCell(slice, type, terms)),
    figure("p adjusted", 1, (slice) => probabilityText(slice.p_value_adjusted)),
    figure("rows better/same/worse", 0, (slice) =>
      [slice.rows_improved, slice.rows_tied, slice.rows_regressed].map(countText).join("/"),
    ),
    { head: "verdict", whole: true, telling: 7, cell: verdictOf },
    figure("contribution", 4, (slice) => contributionText(slice, type)),
  ];
}
