import type { PrintedColumn } from "../../text/text-table.ts";
import type { Comparison } from "../../index.ts";
import {
  countText,
  differenceIntervalText,
  differenceText,
  intervalName,
  meanText,
  probabilityText,
} from "../../words/figures.ts";
import { scoreName, shownType } from "../../words/score.ts";
import {
  contributionText,
  isShownAlone,
  sliceNotes,
  sliceSentence,
  sliceStanding,
  sliceText,
} from "../../words/slices.ts";
import { labelOf, markOf } from "../../words/standings.ts";
import { oneLine } from "../../model/plain-line.ts";
import { scoreAt, type Compared } from "../../words/comparison-words.ts";
import { fitLines, shownTable, type ShownTable, type TableView } from "./screen-table.ts";

/** The slices of a comparison: a title, a table, and what is said of them below it. */
interface SliceCells {
  readonly title: string;
  readonly columns: readonly PrintedColumn[];
  readonly rows: readonly (readonly string[])[];
  readonly notes: readonly string[];
}

/** The slices of every comparison; none without slices. */
export function sliceCells(compared: Compared): SliceCells[] {
  const { slicing, comparisons } = compared.answer;
  if (slicing === undefined || slicing.fields.length === 0) return [];
  return comparisons.map((one) => cellsOf(compared, one));
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

function cellsOf(compared: Compared, one: Comparison): SliceCells {
  const { answer, names } = compared;
  const { slicing, confidence } = answer;
  const { slices = [] } = one;
  const candidate = names.get(one.candidate) ?? one.candidate;
  const several = answer.comparisons.some((other) => other.candidate !== one.candidate);
  const sentence = several ? sliceSentence(one, slicing) : null;
  return {
    title: `${scoreName(one)} of ${candidate} by ${slicing?.fields.join(" and ")}`,
    columns: sliceColumns(confidence),
    rows: slices.map((slice) => {
      const type = shownType(one);
      const standing = sliceStanding(slice);
      const interval = differenceIntervalText(slice.confidence_interval, type);
      return [
        sliceText(slice.value),
        countText(slice.n_common),
        meanText(slice.baseline_mean, type),
        meanText(slice.candidate_mean, type),
        differenceText(slice.difference, type),
        isShownAlone(slice) ? `${interval}*` : interval,
        probabilityText(slice.p_value_adjusted),
        [slice.rows_improved, slice.rows_tied, slice.rows_regressed].map(countText).join("/"),
        `${markOf(standing)} ${labelOf(standing, scoreAt(compared, one))}`,
        contributionText(slice, type),
      ];
    }),
    notes: [
      ...(slices.some(isShownAlone) ? [`* Alone it would have shown; among all slices it does not.`] : []),
      ...(slicing === undefined ? [] : sliceNotes(slicing, one)),
      ...(sentence === null ? [] : [sentence]),
    ],
  };
}

function sliceColumns(confidence: number): PrintedColumn[] {
  const right = "right" as const;
  return [
    { head: "slice", labels: true, telling: 8 },
    { head: "rows", align: right, telling: 5 },
    { head: "baseline", align: right, telling: 2 },
    { head: "candidate mean", align: right, telling: 2 },
    { head: "difference", align: right, telling: 6 },
    { head: intervalName(confidence), align: right, telling: 3 },
    { head: "p adjusted", align: right, telling: 1 },
    { head: "rows better/same/worse", align: right },
    { head: "verdict", whole: true, telling: 7 },
    { head: "contribution", align: right, telling: 4 },
  ];
}
