import { aligned, headLines, type PrintedColumn } from "../../text/text-table.ts";
import { shortenedLabels, shortenedText, textWidth, wrapped } from "../../text/text-width.ts";
import { oneLine } from "../../model/plain-line.ts";
import { screenWidth, showsColour, type Screen } from "../terminal/terminal.ts";
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

/** A terminal shows what a person reads: 200 records as wide as it is. Files and pipes get everything. */
export function tableView(screen: Screen): TableView {
  const width = screenWidth(screen);
  return { colour: showsColour(screen), width, most: width === null ? null : MOST_RECORDS };
}

/** A table, and what is not shown of it. */
export interface ShownTable {
  readonly text: string;
  readonly missing: Missing;
}

/**
 * Formats a table for a screen, with last lines that say what is not shown.
 *
 * @param left Which records are shown, where the caller left some out; null where all of them are in `rows`.
 */
export function screenTable(
  columns: readonly PrintedColumn[],
  rows: readonly (readonly string[])[],
  view: TableView,
  left: string | null = null,
): string {
  const { text, missing } = shownTable(columns, rows, view, left);
  return [text, ...missingLines([missing], view)].join("\n\n");
}

/** The same, with what is not shown apart from it, for the end of a longer text. */
export function shownTable(
  columns: readonly PrintedColumn[],
  rows: readonly (readonly string[])[],
  view: TableView,
  left: string | null = null,
): ShownTable {
  const shown = view.most === null ? rows : rows.slice(0, view.most);
  const layout = layOut(columns, shown, view);
  const lines = [...layout.head, ...shown.map(layout.line)];
  const records = shown.length < rows.length ? firstOf(shown.length, rows.length) : left;
  return { text: lines.join("\n"), missing: { records, columns: layout.left, isCut: layout.isCut() } };
}

/** Lines of a text, none of them longer than the view has room for. */
export function fitLines(text: string, { width }: TableView): string {
  return width === null
    ? text
    : text
        .split("\n")
        .flatMap((line) => wrapped(line, width))
        .join("\n");
}

/** How names that are shown together are called in sentences of a view. */
export function shortNamesIn({ width }: TableView, names: Iterable<string>): (name: string) => string {
  if (width === null) return oneLine;
  const short = shortenedLabels(
    new Set([...names].map(oneLine)),
    Math.max(LEAST_NAME, Math.floor(width / 2)),
  );
  return (name) => short.get(oneLine(name)) ?? oneLine(name);
}

const LEAST_NAME = 12;

/** The columns of a table as far as they are shown, and their widths. */
export interface Layout {
  readonly head: readonly [string, string];
  readonly line: (cells: readonly string[]) => string;
  /** The heads of columns that have no room. */
  readonly left: readonly string[];
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
  const headsOf = (width: number) =>
    shortenedLabels(new Set(columns.map(({ head }) => oneLine(head))), width);
  const names = fitted.map(({ column, index, width }) =>
    view.width === null || column.labels !== true
      ? null
      : shortenedLabels(new Set(first.map((cells) => oneLine(cells[index] ?? ""))), width),
  );
  let cut = false;
  const fit = (text: string, i: number): string => {
    const plain = oneLine(text);
    if (view.width === null) {
      widths[i] = Math.max(widths[i] ?? 0, textWidth(plain));
      return plain;
    }
    const short = names[i]?.get(plain) ?? shortenedText(plain, widths[i] ?? 0);
    cut ||= short !== plain;
    return short;
  };
  const heads = fitted.map(({ column, width }) => {
    const head = oneLine(column.head);
    return { ...column, head: view.width === null ? head : (headsOf(width).get(head) ?? head) };
  });
  return {
    head: headLines(heads, widths, view.colour),
    line: (cells) => {
      const texts = fitted.map(({ index }, i) => fit(cells[index] ?? "", i));
      return aligned(texts, shown, widths);
    },
    left: columns.filter((column) => !shown.includes(column)).map(({ head }) => head),
    isCut: () => cut,
  };
}

/** The first records of so many, or of an unknown number. */
export function firstOf(shown: number, all: number | null): string {
  return all === null
    ? `the first ${countText(shown)} records`
    : `${countText(shown)} of ${countText(all)} records`;
}

/** What is not shown of a table. */
interface Missing {
  /** Such as `the first 200 records`; null where all are shown. */
  readonly records: string | null;
  /** The heads of columns that have no room. */
  readonly columns: readonly string[];
  readonly isCut: boolean;
}

/** How to get what is not shown: records and whole texts, and columns. */
const WAYS = ["append | less -S to see all", "--format json has all"] as const;
/** Cells of the name of a column. */
const LONGEST_HEAD = 24;

/** Says what of tables is not shown and how to get it, the columns last. */
export function missingLines(
  tables: readonly Missing[],
  view: TableView,
  [whole, others]: readonly [string, string] = WAYS,
): string[] {
  const records = tables.flatMap((one) => one.records ?? []);
  const columns = [...new Set(tables.flatMap((one) => one.columns))];
  const named = shortenedLabels(new Set(columns.map(oneLine)), LONGEST_HEAD);
  const isCut = tables.some((one) => one.isCut) && records.length + columns.length === 0;
  const lines = [
    ...records.map((one) => `Shown: ${one}; ${whole}.`),
    ...(isCut ? [`Some texts are shortened; ${whole}.`] : []),
    ...(columns.length === 0
      ? []
      : [`Left out at ${view.width} columns: ${[...named.values()].join(", ")}. ${others}.`]),
  ];
  return lines.length === 0 ? [] : [fitLines(lines.join("\n"), view)];
}
