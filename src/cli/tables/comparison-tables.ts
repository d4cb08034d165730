import type { Comparison } from "../../index.ts";
import { cellsOf, figure, type Cells, type CellColumn } from "../../text/text-table.ts";
import { adjustedIntervalName, intervalCell } from "../../words/claim-figures.ts";
import { countText, differenceText, meanText, outOf, probabilityText } from "../../words/figures.ts";
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
  const { columns, rows } = comparisonCells(compared);
  const table = shownTable(columns, rows, view);
  return written(compared, view, [table], conclusionLines(compared, spoken));
}

/**
 * Formats a comparison as people read it: of one pair what is concluded in each score, of several a table, and only
 * what is shown.
 */
export function comparisonText(compared: Compared, view: TableView): string {
  const spoken = spokenIn(compared, view);
  if (compared.sides.length === 1) return written(compared, view, [], conclusionLines(compared, spoken));
  const { columns, rows } = comparisonCells(compared);
  const table = shownTable(columns, rows, view);
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

/** The columns of a comparison, and the cells of each. */
export function comparisonCells(compared: Compared): Cells {
  const { answer, names } = compared;
  const terms = termsOf(compared);
  const typeOf = (one: Comparison) => scoreAt(compared, one).value_type;
  const candidateOf = ({ candidate }: Comparison, at: number) =>
    answer.comparisons[at - 1]?.candidate === candidate ? "" : (names.get(candidate) ?? candidate);
  const columns: readonly CellColumn<Comparison>[] = [
    { head: "candidate", labels: true, telling: 8, cell: candidateOf },
    { head: "score", labels: true, telling: 6, cell: scoreName },
    figure("rows", 4, (one) => countText(one.n_common)),
    figure("baseline", 2, (one) => meanText(one.baseline_mean, typeOf(one))),
    figure("candidate mean", 2, (one) => meanText(one.candidate_mean, typeOf(one))),
    figure("difference", 5, (one) => differenceText(one.difference, typeOf(one))),
    figure(adjustedIntervalName(terms), 3, (one) => intervalCell(one, typeOf(one), terms)),
    figure("p adjusted", 1, (one) => probabilityText(one.p_value_adjusted)),
    figure("rows better/same/worse", 0, (one) =>
      [one.rows_improved, one.rows_tied, one.rows_regressed].map(countText).join("/"),
    ),
    { head: "verdict", whole: true, telling: 7, cell: (one) => verdictOf(compared, one) },
  ];
  return cellsOf(columns, answer.comparisons);
}

function verdictOf(compared: Compared, one: Comparison): string {
  const standing = standingOf(one);
  const less = saysLess(one) ? LESS : "";
  return `${markOf(standing)} ${labelOf(standing, scoreAt(compared, one))}${less}`;
}
