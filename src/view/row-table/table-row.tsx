import { Component, type VNode } from "preact";
import { framed, ShortName } from "../parts/name.tsx";
import type { RowLine, RowList, RowSource } from "../rows/row-source.ts";
import { CellMark } from "../row-parts/cell-mark.tsx";
import type { RowColumnsShown } from "../row-parts/rows-state.ts";
import { countText } from "../../words/figures.ts";
import type { RowLayout } from "./row-layout.ts";
import { StepStrip } from "./step-strip.tsx";

interface TableRowProps {
  readonly list: RowList;
  readonly place: number;
  readonly columns: RowColumnsShown;
  readonly layout: RowLayout;
  readonly source: RowSource | null;
  /** Changes when rows come. */
  readonly version: number;
  /** Whether the tabulator reaches it. */
  readonly tabbed: boolean;
  readonly open: (place: number) => void;
}

/** A row of the table. It is rendered again only where it shows something else. */
export class TableRow extends Component<TableRowProps> {
  line: RowLine | undefined;

  override shouldComponentUpdate(next: TableRowProps): boolean {
    const { list, place, columns, layout, tabbed, version } = this.props;
    const waits = this.line === undefined && next.version !== version;
    return (
      waits ||
      next.list !== list ||
      next.place !== place ||
      next.columns !== columns ||
      next.layout !== layout ||
      next.tabbed !== tabbed
    );
  }

  render({ list, place, columns, layout, source, tabbed, open }: TableRowProps): VNode {
    const line = list.at(place);
    this.line = line;
    return (
      <tr
        aria-rowindex={place + 2}
        class={place % 2 === 1 ? "odd" : undefined}
        aria-busy={line === undefined ? true : undefined}
        onClick={() => open(place)}
      >
        <td class="place">
          <button
            type="button"
            aria-label={`Open row ${place + 1}`}
            data-place={place}
            tabIndex={tabbed ? 0 : -1}
          >
            {place + 1}
          </button>
        </td>
        <td class="input">
          {line === undefined ? "…" : <Line text={line.input} kind={layout.stacked ? "lines" : undefined} />}
        </td>
        <ValueCells line={line} columns={columns} layout={layout} />
        {layout.outputs.map((output) => (
          <td key={`output ${output}`} class="output">
            {line === undefined ? null : <Line text={line.outputs[output]} />}
          </td>
        ))}
        {layout.steps === null ? null : (
          <td class="steps">
            <StepStrip key={line?.digest} line={line} of={layout.steps} source={source} />
          </td>
        )}
      </tr>
    );
  }
}

type ValueCellsProps = Pick<TableRowProps, "columns" | "layout"> & { readonly line: RowLine | undefined };

function ValueCells({
  line,
  columns: { names, score },
  layout: { values, stacked },
}: ValueCellsProps): VNode {
  const more = names.length - values.length;
  return (
    <>
      {values.map((place) => {
        const name = names[place];
        return (
          <td key={name?.id} class="value">
            {line === undefined ? null : <CellMark value={line.values[place]} score={score} />}
            {stacked && name !== undefined ? (
              <span class="mark-name">
                <ShortName {...name} />
              </span>
            ) : null}
          </td>
        );
      })}
      {more === 0 ? null : <td class="more">and {countText(more)} more</td>}
    </>
  );
}

interface LineProps {
  /** Null where it is left out, undefined where there is none. */
  readonly text: string | null | undefined;
  readonly kind?: string | undefined;
}

function Line({ text, kind }: LineProps): VNode | null {
  if (text === undefined) return null;
  return text === null ? <span class="left-out">left out</span> : <bdi class={kind}>{framed(text)}</bdi>;
}
