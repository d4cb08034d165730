import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { RowList } from "../rows/row-source.ts";
import { useMedia } from "../row-parts/use-media.ts";
import { useNeeded, useScrolled, type Scrolled } from "../row-parts/use-scrolled.ts";
import { columnsWidth, RowsHead } from "./rows-head.tsx";
import type { PageRows, RowColumnsShown, RowsState } from "../row-parts/rows-state.ts";
import { linesOf, rowHeight, rowLayout, STACKED_BELOW, STRIPS_FROM, type RowLayout } from "./row-layout.ts";
import { rowWindow, scrolledHeight, scrollTo } from "../row-parts/row-window.ts";
import { TableRow } from "./table-row.tsx";

export interface RowsTableProps extends Pick<
  PageRows,
  "columns" | "state" | "change" | "source" | "hasSteps"
> {
  readonly list: RowList;
  readonly open: (place: number) => void;
  /** The row that the keyboard is at; `times` counts how often it was sent there. */
  readonly at: { readonly place: number; readonly times: number };
  readonly failed: (error: Error) => void;
}

/** The rows that are seen and a few around them, in a box that scrolls through all. */
export function RowsTable(props: RowsTableProps): VNode {
  const { list, columns, state, change, source, hasSteps, open, at, failed } = props;
  const box = useRef<HTMLDivElement>(null);
  const scrolled = useScrolled(box, list, heightOfStyle());
  const layout = useLayout(columns, state.with, list.hasOutputs, hasSteps && scrolled.width >= STRIPS_FROM);
  const [version, setVersion] = useState(0);
  const high = useRowHeight(box, list, layout, scrolled, version);
  const { first, end, above, below } = rowWindow(list.count, scrolled.top, scrolled.height, high);
  useNeeded(list, { first, end }, () => setVersion((last) => last + 1), failed);
  useFocusedRow(box, list, at, high);
  const tabbed = at.place >= first && at.place < end ? at.place : first;
  const short = scrolledHeight(list.count, high) <= heightOfStyle();
  return (
    <div class={scrolled.goesOn ? "rows-frame goes-on" : "rows-frame"}>
      <div class={short ? "rows-box short" : "rows-box"} ref={box}>
        <div class="rows-height">
          <table
            class={kindsOf(columns, layout)}
            aria-label="Rows"
            aria-rowcount={list.count + 1}
            style={{
              marginTop: `${above}px`,
              marginBottom: `${below}px`,
              minWidth: `${columnsWidth(columns, layout)}px`,
              "--row-height": `${high}px`,
            }}
          >
            <RowsHead {...{ columns, state, change, layout }} />
            <tbody>{windowOf(first, end, { list, columns, layout, version, source, open }, tabbed)}</tbody>
          </table>
        </div>
      </div>
    </div>
  );
}

type EachRow = Pick<TableRow["props"], "list" | "columns" | "layout" | "version" | "source" | "open">;

/** The rows between two places; elements of rows that are no longer among them are taken for others. */
function windowOf(first: number, end: number, each: EachRow, tabbed: number): VNode[] {
  const size = Math.max(1, end - first);
  return Array.from({ length: end - first }, (_, i) => first + i).map((place) => (
    <TableRow key={place % size} {...each} place={place} tabbed={place === tabbed} />
  ));
}

function kindsOf({ names }: RowColumnsShown, { stacked, across, outputs }: RowLayout): string {
  if (stacked) return across === 1 ? "rows stacked single" : "rows stacked";
  const said = outputs.length > 0 ? " said" : "";
  return `rows ${names.length > 4 ? "narrow" : "wide"}${names.length > 20 ? " many" : ""}${said}`;
}

function useLayout(
  columns: RowColumnsShown,
  wanted: RowsState["with"],
  hasOutputs: boolean,
  hasStrips: boolean,
): RowLayout {
  const stacked = useMedia(`(width < ${STACKED_BELOW}px)`);
  return useMemo(
    () => rowLayout(columns, wanted, { stacked, hasOutputs, hasStrips }),
    [columns, wanted.join("\n"), stacked, hasOutputs, hasStrips],
  );
}

/** The height of all rows: as the longest input that was seen needs it, so that few rows have blanks. */
function useRowHeight(
  box: { readonly current: HTMLDivElement | null },
  list: RowList,
  layout: RowLayout,
  { top, height, width }: Scrolled,
  version: number,
): number {
  const seen = useRef({ list, layout, width, lines: 1 });
  if (seen.current.list !== list || seen.current.layout !== layout || seen.current.width !== width)
    seen.current = { list, layout, width, lines: 1 };
  const before = rowHeight(layout, seen.current.lines);
  const { first, end } = rowWindow(list.count, top, height, before);
  useMemo(() => {
    for (let place = first; layout.stacked && place < end; place++)
      seen.current.lines = Math.max(seen.current.lines, linesOf(list.at(place)?.input ?? "", width));
  }, [seen.current, first, end, version]);
  const high = rowHeight(layout, seen.current.lines);
  useLayoutEffect(() => {
    if (high !== before && top > 0) box.current?.scrollTo({ top: (top / before) * high });
  }, [high]);
  return high;
}

const BORDERS = 2;

/** The height that the style gives the box, so that the rows that are seen at first are there at once. */
function heightOfStyle(): number {
  return Math.round(Math.min(0.72 * innerHeight, 760)) - BORDERS;
}

/** Scrolls to a row and gives it the focus, when it is sent for. */
function useFocusedRow(
  box: { readonly current: HTMLDivElement | null },
  list: RowList,
  { place, times }: RowsTableProps["at"],
  high: number,
): void {
  useEffect(() => {
    const element = box.current;
    if (times === 0 || element === null || place >= list.count) return undefined;
    const seen = element.clientHeight - headHeight(element);
    const top = scrollTo(list.count, place, element.scrollTop, seen, high);
    if (top !== null) element.scrollTo({ top });
    const frame = requestAnimationFrame(() => {
      element.querySelector<HTMLElement>(`[data-place="${place}"]`)?.focus({ preventScroll: true });
    });
    return () => cancelAnimationFrame(frame);
  }, [place, times]);
}

function headHeight(element: HTMLElement): number {
  return element.querySelector("thead")?.getBoundingClientRect().height ?? 0;
}
