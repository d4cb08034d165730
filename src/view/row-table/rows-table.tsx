import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Order, RowList } from "../rows/row-source.ts";
import { asError } from "../row-parts/use-asked.ts";
import { columnsWidth, RowsHead } from "./rows-head.tsx";
import type { RowColumnsShown } from "../row-parts/rows-state.ts";
import { rowWindow, scrolledHeight, scrollTo } from "./row-window.ts";
import { TableRow } from "./table-row.tsx";

interface RowsTableProps {
  readonly list: RowList;
  readonly columns: RowColumnsShown;
  readonly order: Order;
  readonly chooseOrder: (order: Order) => void;
  readonly open: (place: number) => void;
  /** The row that the keyboard is at; `times` counts how often it was sent there. */
  readonly at: { readonly place: number; readonly times: number };
  readonly failed: (error: Error) => void;
}

/** The rows that are seen and a few around them, in a box that scrolls through all. */
export function RowsTable({ list, columns, order, chooseOrder, open, at, failed }: RowsTableProps): VNode {
  const box = useRef<HTMLDivElement>(null);
  const { top, height } = useScrolled(box, list);
  const { first, end, above } = rowWindow(list.count, top, height);
  const version = useNeeded(list, first, end, failed);
  useFocusedRow(box, list, at);
  const size = Math.max(1, end - first);
  const tabbed = at.place >= first && at.place < end ? at.place : first;
  const many = columns.names.length > 20;
  return (
    <div class="rows-box" ref={box}>
      <div class="rows-height" style={{ height: `${scrolledHeight(list.count) + HEAD_ROOM}px` }}>
        <table
          class={`rows ${columns.names.length > 4 ? "narrow" : "wide"}${many ? " many" : ""}`}
          aria-label="Rows"
          aria-rowcount={list.count + 1}
          style={{ marginTop: `${above}px`, minWidth: `${columnsWidth(columns)}px` }}
        >
          <RowsHead columns={columns} order={order} chooseOrder={chooseOrder} />
          <tbody>
            {Array.from({ length: end - first }, (_, i) => first + i).map((place) => (
              <TableRow
                key={place % size}
                list={list}
                place={place}
                columns={columns}
                version={version}
                tabbed={place === tabbed}
                open={open}
              />
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

/** Pixels for the head of the table, which scrolls along. */
const HEAD_ROOM = 240;

const BORDERS = 2;

/** The height that the style gives the box, so that the rows that are seen at first are there at once. */
function heightOfStyle(): number {
  return Math.round(Math.min(0.72 * innerHeight, 760)) - BORDERS;
}

/** How far the box is scrolled, in steps that the window moves in, and how high it is. */
function useScrolled(box: { readonly current: HTMLDivElement | null }, list: RowList) {
  const [scrolled, setScrolled] = useState({ top: 0, height: heightOfStyle() });
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const measure = () => {
      const { scrollTop: top, clientHeight: height } = element;
      setScrolled((last) => (last.top === top && last.height === height ? last : { top, height }));
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener("scroll", measure, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", measure);
    };
  }, []);
  const shown = useRef(list);
  useLayoutEffect(() => {
    // To scroll a box that was just made would lay out the whole page once more.
    if (shown.current !== list) box.current?.scrollTo({ top: 0 });
    shown.current = list;
  }, [list]);
  return scrolled;
}

/** Asks for the rows of the window; the number changes when they come. */
function useNeeded(list: RowList, first: number, end: number, failed: (error: Error) => void): number {
  const [version, setVersion] = useState(0);
  useEffect(() => {
    const control = new AbortController();
    const ask = async () => {
      try {
        await list.need(first, end, control.signal);
        if (!control.signal.aborted) setVersion((last) => last + 1);
      } catch (error) {
        if (!control.signal.aborted) failed(asError(error));
      }
    };
    void ask();
    return () => control.abort();
  }, [list, first, end]);
  return version;
}

/** Scrolls to a row and gives it the focus, when it is sent for. */
function useFocusedRow(
  box: { readonly current: HTMLDivElement | null },
  list: RowList,
  { place, times }: RowsTableProps["at"],
): void {
  useEffect(() => {
    const element = box.current;
    if (times === 0 || element === null || place >= list.count) return undefined;
    const top = scrollTo(list.count, place, element.scrollTop, element.clientHeight - headHeight(element));
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
