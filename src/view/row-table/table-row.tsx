import { Component, type VNode } from "preact";
import { framed } from "../parts/name.tsx";
import type { RowLine, RowList } from "../rows/row-source.ts";
import { CellMark } from "../row-parts/cell-mark.tsx";
import type { RowColumnsShown } from "../row-parts/rows-state.ts";

interface TableRowProps {
  readonly list: RowList;
  readonly place: number;
  readonly columns: RowColumnsShown;
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
    const { list, place, columns, tabbed, version } = this.props;
    const waits = this.line === undefined && next.version !== version;
    return (
      waits ||
      next.list !== list ||
      next.place !== place ||
      next.columns !== columns ||
      next.tabbed !== tabbed
    );
  }

  render({ list, place, columns, tabbed, open }: TableRowProps): VNode {
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
        <td class="input">{line === undefined ? "…" : <InputLine input={line.input} />}</td>
        {columns.names.map(({ id }, i) => (
          <td key={id} class="value">
            {line === undefined ? null : (
              <CellMark value={line.values[i]} binary={columns.score?.binary ?? false} />
            )}
          </td>
        ))}
      </tr>
    );
  }
}

function InputLine({ input }: { readonly input: string | null }): VNode {
  return input === null ? <span class="left-out">left out</span> : <bdi>{framed(input)}</bdi>;
}
