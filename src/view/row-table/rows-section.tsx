import type { ComponentChildren, VNode } from "preact";
import { useRef, useState } from "preact/hooks";
import { Section } from "../parts/section.tsx";
import type { RowList, RowSource } from "../rows/row-source.ts";
import { Failure } from "../row-parts/failure.tsx";
import { KeyboardHelp } from "../row-dialog/keyboard-help.tsx";
import { OpenRow } from "../row-dialog/open-row.tsx";
import { DownloadRows } from "./download-rows.tsx";
import { RowsForm } from "./rows-form.tsx";
import type { ChangeRows, RowColumnsShown, RowsState } from "../row-parts/rows-state.ts";
import { RowsTable } from "./rows-table.tsx";
import { usePlace } from "./use-place.ts";
import { useKeys } from "../row-parts/use-keys.ts";
import type { Asked } from "../row-parts/use-asked.ts";

interface RowsSectionProps {
  /** Null while the rows are not there yet. */
  readonly source: RowSource | null;
  /** The rows of the state. */
  readonly asked: Asked<RowList>;
  readonly columns: RowColumnsShown;
  readonly state: RowsState;
  readonly change: ChangeRows;
  /** What is left out, and what can be done with the rows that are shown. */
  readonly children?: ComponentChildren;
}

/** All rows: search, table, and the dialog of one row. */
export function RowsSection({ source, asked, columns, state, change, children }: RowsSectionProps): VNode {
  const list = asked.answer;
  const place = usePlace(list?.count ?? 0);
  const [marking, setMarking] = useState(true);
  const [help, setHelp] = useState(false);
  const section = useRef<HTMLDivElement>(null);
  const [lost, setLost] = useState<{ readonly source: RowSource; readonly digest: string } | null>(null);
  const isLost = lost !== null && lost.source === source && lost.digest === state.row;
  const row = isLost ? null : state.row;
  useKeys({ "?": () => setHelp(true), d: () => setMarking(!marking) });
  useRowKeys(row !== null || help, section, place.step);
  const open = (wanted: number) => {
    const digest = list?.at(wanted)?.digest;
    if (digest === undefined) return;
    place.set(wanted);
    change({ row: digest }, "push");
  };
  return (
    <Section kind="rows-section" title="Rows">
      <div ref={section}>
        <RowsForm state={state} change={change} columns={columns} count={countOf(asked)} />
        <DownloadRows {...{ source, columns, state }} count={list?.count ?? 0} />
        {children}
        {isLost ? <p class="hint">The address names a row that is not here.</p> : null}
        <ListedRows asked={asked} columns={columns} state={state} change={change} open={open} at={place.at} />
      </div>
      {row === null ? null : (
        <OpenRow
          digest={row}
          {...{ source, list, columns, change, marking, setMarking, with: state.with }}
          arrived={place.set}
          lost={setLost}
          closed={place.focus}
        />
      )}
      {help ? <KeyboardHelp close={() => setHelp(false)} /> : null}
    </Section>
  );
}

interface ListedRowsProps {
  readonly asked: Asked<RowList>;
  readonly columns: RowColumnsShown;
  readonly state: RowsState;
  readonly change: ChangeRows;
  readonly open: (place: number) => void;
  readonly at: { readonly place: number; readonly times: number };
}

/** The table; while rows are asked for and where that failed, the last rows stay. */
function ListedRows({ asked, columns, state, change, open, at }: ListedRowsProps): VNode {
  const [pageError, setPageError] = useState<Error | null>(null);
  const { answer: list, asking, again } = asked;
  const error = asked.error ?? pageError;
  const retry = () => {
    setPageError(null);
    again();
  };
  return (
    <div aria-busy={asking}>
      {error === null ? null : <Failure error={error} again={retry} />}
      {list === null ? (
        <p class="hint">{asking ? "Reading the rows." : ""}</p>
      ) : (
        <RowsTable
          list={list}
          columns={columns}
          with={state.with}
          order={state.order}
          chooseOrder={(order) => change({ order })}
          open={open}
          at={at}
          failed={setPageError}
        />
      )}
    </div>
  );
}

/** Keys of the table, which rest while a dialog is open. */
function useRowKeys(
  resting: boolean,
  section: { readonly current: HTMLElement | null },
  step: (by: 1 | -1) => void,
): void {
  const inTable = () => section.current?.querySelector("table")?.contains(document.activeElement) === true;
  const arrow = (by: 1 | -1) => () => inTable() && (step(by), true);
  const search = () => section.current?.querySelector<HTMLElement>("input[type=search]")?.focus();
  useKeys(
    resting
      ? {}
      : { "/": search, j: () => step(1), k: () => step(-1), ArrowDown: arrow(1), ArrowUp: arrow(-1) },
  );
}

function countOf({ answer }: Asked<{ readonly count: number; readonly total: number }>) {
  return answer === null ? null : { shown: answer.count, all: answer.total };
}
