import { aligned, headLines, type PrintedColumn } from "../../text/text-table.ts";
import { shortenedLabel, shortenedText, textWidth } from "../../text/text-width.ts";
import { oneLine } from "../../model/plain-line.ts";
import { showsColour, type Screen } from "../terminal/terminal.ts";
import { fitColumns } from "./fit-columns.ts";
import { countText } from "../../words/figures.ts";

/** How much of a table is shown, and how. */
export interface TableView {
  readonly colour: boolean;
  /** Cells of a line; null where lines may have any length. */
  readonly width: number | null;
  /** Records shown at most; null means all. */
  readonly most: number | null;
}

/** Records shown on a terminal. */
const MOST_RECORDS = 200;
const USUAL_WIDTH = 80;

/** A terminal shows what a person reads: 200 records as wide as it is. Files and pipes get everything. */
export function tableView(screen: Screen): TableView {
  const colour = showsColour(screen);
  if (screen.isTTY !== true) return { colour, width: null, most: null };
  const width = screen.columns === undefined || screen.columns < 1 ? USUAL_WIDTH : screen.columns;
  return { colour, width, most: MOST_RECORDS };
}

/**
 * Formats a table for a screen, with a last line that says what is not shown.
 *
 * @param left Which records are shown, where the caller left some out; null where all of them are in `rows`.
 */
export function screenTable(
  columns: readonly PrintedColumn[],
  rows: readonly (readonly string[])[],
  view: TableView,
  left: string | null = null,
): string {
  const shown = view.most === null ? rows : rows.slice(0, view.most);
  const layout = layOut(columns, shown, view);
  const lines = [...layout.head, ...shown.map(layout.line)];
  const fewer = shown.length < rows.length ? firstOf(shown.length, rows.length) : left;
  const missing = notShown(layout, fewer, "append | less -S to see all");
  return [lines.join("\n"), ...(missing === null ? [] : [missing])].join("\n\n");
}

/** The columns of a table as far as they are shown, and their widths. */
export interface Layout {
  readonly head: readonly [string, string];
  readonly line: (cells: readonly string[]) => string;
  /** Such as `5 of 12 columns`; null where all are shown. */
  readonly columns: string | null;
  /** Whether some text was cut so far. */
  readonly isCut: () => boolean;
}

/**
 * Lays a table out by its first records. Where lines may have any length, a later record that is wider widens its
 * columns from there on.
 */
export function layOut(
  columns: readonly PrintedColumn[],
  first: readonly (readonly string[])[],
  view: TableView,
): Layout {
  const fitted = fitColumns(columns, first, view.width);
  const widths = fitted.map(({ width }) => width);
  const shown = fitted.map(({ column }) => column);
  let cut = false;
  const fit = (text: string, i: number): string => {
    const plain = oneLine(text);
    if (view.width === null) {
      widths[i] = Math.max(widths[i] ?? 0, textWidth(plain));
      return plain;
    }
    const shorten = shown[i]?.labels === true ? shortenedLabel : shortenedText;
    const short = shorten(plain, widths[i] ?? 0);
    cut ||= short !== plain;
    return short;
  };
  const heads = shown.map((column, i) => ({ ...column, head: fit(column.head, i) }));
  return {
    head: headLines(heads, widths, view.colour),
    line: (cells) => {
      const texts = fitted.map(({ index }, i) => fit(cells[index] ?? "", i));
      return aligned(texts, shown, widths);
    },
    columns: fitted.length < columns.length ? `${fitted.length} of ${columns.length} columns` : null,
    isCut: () => cut,
  };
}

/** The first records of so many, or of an unknown number. */
export function firstOf(shown: number, all: number | null): string {
  return all === null
    ? `the first ${countText(shown)} records`
    : `${countText(shown)} of ${countText(all)} records`;
}

/** Says what of a table is not shown and how to get it; null where everything is. */
export function notShown(layout: Layout, records: string | null, how: string): string | null {
  const parts = [records, layout.columns].filter((part) => part !== null);
  if (parts.length > 0) return `Shown: ${parts.join(", ")}; ${how}.`;
  return layout.isCut() ? `Some texts are shortened; ${how}.` : null;
}
