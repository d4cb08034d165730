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
  decidedLines,
  scoreAt,
  termsOf,
  type Compared,
} from "../../words/comparison-words.ts";
import { sliceTables } from "./slice-tables.ts";
import {
  fitLines,
  missingLines,
  shortNamesIn,
  shownTable,
  type ShownTable,
  type TableView,
} from "./screen-table.ts";
import { oneLine } from "../../model/plain-line.ts";
import { plainText, type Sentence, withNames } from "../../words/sentence.ts";

/** Formats a table of all comparisons, one of the slices of each, then what is concluded in each score. */
export function comparisonTable(compared: Compared, view: TableView): string {
  const spoken = spokenIn(compared, view);
  const table = shownTable(comparisonColumns(compared), comparisonCells(compared), view);
  return written(compared, view, [table], conclusionLines(compared, spoken));
}

/**
 * Formats a comparison as people read it: of one pair what is concluded in each score, of several a table, and only
 * what is shown.
 */
export function comparisonText(compared: Compared, view: TableView): string {
  const spoken = spokenIn(compared, view);
  if (compared.sides.length === 1) return written(compared, view, [], conclusionLines(compared, spoken));
  const table = shownTable(comparisonColumns(compared), comparisonCells(compared), view);
  return written(compared, view, [table], decidedLines(compared, spoken));
}

function written(
  compared: Compared,
  view: TableView,
  tables: readonly ShownTable[],
  concluded: readonly string[],
): string {
  const lines = [...changeLines(compared, shortNames(compared, view)), ...concluded];
  const shown = view.most === null ? lines : lines.slice(0, view.most);
  const left =
    shown.length === lines.length
      ? []
      : [`Shown: ${outOf(shown.length, lines.length)} lines; append | less to see all.`];
  const notes = compared.answer.notes?.join("\n") ?? "";
  const said = [shown.join("\n"), ...left, ...(notes === "" ? [] : [notes])].map((text) =>
    fitLines(text, view),
  );
  const slices = sliceTables(compared, view);
  const all = [...tables, ...slices];
  const texts = all.map(({ text }) => text);
  const missing = all.map((one) => one.missing);
  const parts = tables.length === 0 ? [...said, ...texts] : [...texts, ...said];
  return [...parts, ...missingLines(missing, view)].join("\n\n");
}

function spokenIn(compared: Compared, view: TableView): (sentence: Sentence) => string {
  const short = shortNames(compared, view);
  return (sentence) => oneLine(plainText(withNames(sentence, short)));
}

/** Names of evaluations and scores, short where lines are. */
function shortNames({ answer, names }: Compared, view: TableView): (name: string) => string {
  return shortNamesIn(view, [...names.values(), ...names.keys(), ...answer.comparisons.map(scoreName)]);
}

/** The columns of a comparison. */
export function comparisonColumns(compared: Compared): PrintedColumn[] {
  const right = "right" as const;
  return [
    { head: "candidate", labels: true, telling: 8 },
    { head: "score", labels: true, telling: 6 },
    { head: "rows", align: right, telling: 4 },
    { head: "baseline", align: right, telling: 2 },
    { head: "candidate mean", align: right, telling: 2 },
    { head: "difference", align: right, telling: 5 },
    { head: adjustedIntervalName(termsOf(compared)), align: right, telling: 3 },
    { head: "p adjusted", align: right, telling: 1 },
    { head: "rows better/same/worse", align: right },
    { head: "verdict", whole: true, telling: 7 },
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
