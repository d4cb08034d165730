import type { PrintedColumn } from "../../demo/text-table.ts";
import type { HistoryAnswer, HistoryRequest } from "../../index.ts";
import { HISTORY_COLUMNS, historyCells, historySentence } from "../../view/words/history.ts";
import { plainText } from "../../view/words/sentence.ts";
import { screenTable, type TableView } from "./screen-table.ts";

const HEADS: Readonly<Partial<Record<(typeof HISTORY_COLUMNS)[number], string>>> = {
  "run before": "against the run before",
  best: "against the best",
};

/** A history, and what the reader said about it. */
export interface ShownHistory {
  readonly answer: HistoryAnswer;
  readonly request: HistoryRequest;
}

/** Formats a history: one run a line, then since when they are worse. */
export function historyTable(shown: ShownHistory, view: TableView): string {
  const { columns, rows } = cellsOfHistory(shown);
  return [...(rows.length === 0 ? [] : [screenTable(columns, rows, view)]), historyLine(shown)].join("\n\n");
}

/** Since when the runs are worse. */
export function historyLine({ answer, request }: ShownHistory): string {
  return plainText(historySentence(answer, request));
}

export function cellsOfHistory({ answer, request }: ShownHistory): {
  readonly columns: PrintedColumn[];
  readonly rows: string[][];
} {
  const cells = answer.entries.map((entry) => historyCells(answer, entry, request));
  return {
    columns: HISTORY_COLUMNS.map((name) => ({
      head: HEADS[name] ?? name,
      ...(name === "rows" || name === "mean" ? { align: "right" as const } : {}),
      labels: name === "run",
      essential: name === "run" || name === "mean" || name === "best",
    })),
    rows: cells.map((one) => HISTORY_COLUMNS.map((name) => one[name])),
  };
}
