import type { ComponentChildren, VNode } from "preact";
import { useRef, useState } from "preact/hooks";
import { Section } from "../parts/section.tsx";
import type { RowSource } from "../rows/row-source.ts";
import { Failure } from "../row-parts/failure.tsx";
import { OpenRow } from "../row-dialog/open-row.tsx";
import type { PageRows } from "../row-parts/rows-state.ts";
import { Modal, useKeys } from "../row-parts/modal.tsx";
import { Facts } from "../parts/facts.tsx";
import { DownloadRows } from "./download-rows.tsx";
import { RowsForm } from "./rows-form.tsx";
import { RowsTable, type RowsTableProps } from "./rows-table.tsx";

interface RowsSectionProps {
  readonly rows: PageRows;
  /** What is left out, and what can be done with the rows that are shown. */
  readonly children?: ComponentChildren;
}

/** All rows: search, table, and the dialog of one row. */
export function RowsSection({ rows, children }: RowsSectionProps): VNode {
  const { source, asked, state, change } = rows;
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
    change({ row: digest, attempts: [] }, "push");
  };
  return (
    <Section kind="rows-section" title="Rows">
      <div ref={section}>
        <RowsForm {...rows} />
        <DownloadRows {...rows} />
        {children}
        {isLost ? <p class="hint">The address names a row that is not here.</p> : null}
        <ListedRows {...rows} open={open} at={place.at} />
      </div>
      {row === null ? null : (
        <OpenRow
          {...{ ...rows, digest: row, marking, setMarking }}
          arrived={place.set}
          lost={setLost}
          closed={place.focus}
        />
      )}
      {help ? <KeyboardHelp close={() => setHelp(false)} hasSteps={rows.hasSteps} /> : null}
    </Section>
  );
}

type ListedRowsProps = PageRows & Pick<RowsTableProps, "open" | "at">;

/** The table; while rows are asked for and where that failed, the last rows stay. */
function ListedRows({ asked, ...rows }: ListedRowsProps): VNode {
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
        <RowsTable {...rows} list={list} failed={setPageError} />
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

/** Where the keyboard is in a table of `count` rows. */
function usePlace(count: number) {
  const [at, setAt] = useState({ place: 0, times: 0 });
  const rows = useRef(count);
  rows.current = count;
  return {
    at,
    set: (place: number) => setAt(({ times }) => ({ place, times })),
    /** Gives the row the focus. */
    focus: () => setAt(({ place, times }) => ({ place, times: times + 1 })),
    /** Goes to a neighbour and gives it the focus. */
    step: (by: 1 | -1) =>
      setAt(({ place, times }) => ({
        place: Math.max(0, Math.min(rows.current - 1, times === 0 && by === 1 ? 0 : place + by)),
        times: times + 1,
      })),
  };
}

const KEYS = [
  ["/", "search"],
  ["↓ ↑ or j k", "next and previous row"],
  ["Enter", "open a row"],
  ["n p", "next and previous row while one is open"],
  ["d", "mark differences"],
  ["Escape", "close"],
  ["?", "these keys"],
] as const;
const STEP_KEYS = [
  ["↓ ↑ Home End", "other steps of a list of steps"],
  ["Enter", "the texts of a step"],
  ["e", "the next step that failed"],
  ["← →", "the same line of another attempt beside it"],
  ["d", "where attempts beside each other first differ"],
] as const;

/** What keys do. */
function KeyboardHelp({
  close,
  hasSteps,
}: Pick<PageRows, "hasSteps"> & { readonly close: () => void }): VNode {
  const keys = hasSteps ? [...KEYS, ...STEP_KEYS] : KEYS;
  return (
    <Modal kind="narrow" close={close} labelledBy="evalcube-keys-title">
      <div class="dialog-head">
        <h2 id="evalcube-keys-title">Keyboard</h2>
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
      <div class="dialog-body">
        <Facts facts={keys.map(([key, what]) => [<kbd>{key}</kbd>, what])} />
      </div>
    </Modal>
  );
}
