import type { PrintedColumn } from "../../text/text-table.ts";
import { adjustedIntervalName } from "../../words/claim-figures.ts";
import {
  countText,
  differenceIntervalText,
  differenceText,
  meanText,
  outOf,
  probabilityText,
} from "../../words/figures.ts";
import { scoreName } from "../../words/score.ts";
import { labelOf, LESS, markOf, saysLess, standingOf } from "../../words/standings.ts";
import {
  changeLines,
  conclusionLines,
  scoreAt,
  termsOf,
  type Compared,
} from "../../words/comparison-words.ts";
import { sliceTables } from "./slice-tables.ts";
import { screenTable, type TableView } from "./screen-table.ts";

/** Formats a table of all comparisons, one of the slices of each, then what is concluded in each score. */
export function comparisonTable(compared: Compared, view: TableView): string {
  const table = screenTable(comparisonColumns(compared), comparisonCells(compared), view);
  const lines = [...changeLines(compared), ...conclusionLines(compared)];
  const shown = view.most === null ? lines : lines.slice(0, view.most);
  const left =
    shown.length === lines.length
      ? []
      : [`Shown: ${outOf(shown.length, lines.length)} lines; append | less to see all.`];
  const notes = compared.answer.notes?.join("\n") ?? "";
  const slices = sliceTables(compared, view);
  return [table, ...slices, shown.join("\n"), ...left, ...(notes === "" ? [] : [notes])].join("\n\n");
}

/** The columns of a comparison. */
export function comparisonColumns(compared: Compared): PrintedColumn[] {
  const right = "right" as const;
  return [
    { head: "candidate", essential: true, labels: true },
    { head: "score", essential: true },
    { head: "rows", align: right },
    { head: "baseline", align: right },
    { head: "candidate mean", align: right },
    { head: "difference", align: right, essential: true },
    { head: adjustedIntervalName(termsOf(compared)), align: right },
    { head: "p adjusted", align: right },
    { head: "rows better/same/worse", align: right },
    { head: "verdict", whole: true, essential: true },
  ];
}

/** The cells of each comparison. */
export function comparisonCells(compared: Compared): string[][] {
  const { answer, names } = compared;
  return answer.comparisons.map((one, i) => {
    const score = scoreAt(compared, one);
    const { value_type: type } = score;
    const standing = standingOf(one);
    return [
      answer.comparisons[i - 1]?.candidate === one.candidate
        ? ""
        : (names.get(one.candidate) ?? one.candidate),
      scoreName(one),
      countText(one.n_common),
      meanText(one.baseline_mean, type),
      meanText(one.candidate_mean, type),
      differenceText(one.difference, type),
      differenceIntervalText(one.adjusted_confidence_interval, type),
      probabilityText(one.p_value_adjusted),
      [one.rows_improved, one.rows_tied, one.rows_regressed].map(countText).join("/"),
      `${markOf(standing)} ${labelOf(standing, score)}${saysLess(one) ? LESS : ""}`,
    ];
  });
}
