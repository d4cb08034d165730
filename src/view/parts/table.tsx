import type { ComponentChildren, VNode } from "preact";
import { bracketed, Name } from "./name.tsx";

/** A column of a table. */
export interface Column<Line> {
  readonly head: ComponentChildren;
  /** The class of its head and of its cells. */
  readonly kind?: string;
  /** Whether its cells stand out. */
  readonly strong?: boolean;
  readonly sorted?: "ascending" | "descending" | undefined;
  readonly cell: (line: Line) => ComponentChildren;
}

/** A column of figures. */
export function figures<Line>(
  cell: Column<Line>["cell"],
  head: ComponentChildren,
  strong = false,
): Column<Line> {
  return { head, kind: "figure", cell, strong };
}

/** The column of what a line is about, which heads it. */
export function names<Line>(
  nameOf: (line: Line) => { readonly text: string; readonly full: string },
  head: ComponentChildren = "Evaluation",
): Column<Line> {
  return { head, kind: "name", cell: (line) => <Name {...nameOf(line)} /> };
}

/** A column of buttons that show the rows of a line; none where nothing can be pressed. */
export function rowButtons<Line>(
  press: ((line: Line) => (() => void) | null) | undefined,
  nameOf: (line: Line) => string,
  how = "of",
): Column<Line>[] {
  if (press === undefined) return [];
  const cell = (line: Line) => {
    const act = press(line);
    return act === null ? null : (
      <button type="button" class="small" onClick={act}>
        Show rows
        <span class="unseen">
          {" "}
          {how} {bracketed(nameOf(line), 60)}
        </span>
      </button>
    );
  };
  return [{ head: <span class="unseen">Its rows</span>, cell }];
}

interface TableProps<Line> {
  readonly label: string;
  readonly kind?: string;
  /** The first one heads each line. */
  readonly columns: readonly Column<Line>[];
  readonly lines: readonly Line[];
  readonly keyOf?: (line: Line) => string;
  readonly isBaseline?: (line: Line) => boolean;
  /** What is told of a line where a pointer rests on it. */
  readonly hintOf?: (line: Line) => string | undefined;
}

/** A table that scrolls sideways where the page is narrower. */
export function Table<Line>({ label, kind, columns, lines, ...own }: TableProps<Line>): VNode {
  const { keyOf, isBaseline, hintOf } = own;
  return (
    // The keyboard scrolls it too.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div class="wide" role="group" aria-label={`${label}, scrolls sideways`} tabIndex={0}>
      <table aria-label={label} class={kind}>
        <thead>
          <tr>
            {columns.map((column, i) => (
              <th key={i} scope="col" class={column.kind} aria-sort={column.sorted}>
                {column.head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lines.map((line, i) => (
            <tr
              key={keyOf?.(line) ?? i}
              class={isBaseline?.(line) === true ? "baseline" : undefined}
              title={hintOf?.(line)}
            >
              {columns.map((column, at) => (
                <Cell key={at} column={column} line={line} isHead={at === 0} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface CellProps<Line> {
  readonly column: Column<Line>;
  readonly line: Line;
  readonly isHead: boolean;
}

function Cell<Line>({ column: { kind, strong, cell }, line, isHead }: CellProps<Line>): VNode {
  const own = strong === true ? `${kind} strong` : kind;
  return isHead ? (
    <th scope="row" class={own}>
      {cell(line)}
    </th>
  ) : (
    <td class={own}>{cell(line)}</td>
  );
}
