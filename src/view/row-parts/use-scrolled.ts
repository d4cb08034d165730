import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { RowList } from "../rows/row-source.ts";
import { asError } from "./use-asked.ts";

/** How far a box is scrolled, and how large it is. */
export interface Scrolled {
  readonly top: number;
  readonly height: number;
  readonly width: number;
  /** Whether there is more at the right. */
  readonly goesOn: boolean;
}

interface Box {
  readonly current: HTMLElement | null;
}

/** Watches a box whose list may become another one; `height` is what the style gives it at first. */
export function useScrolled(box: Box, list: unknown, height: number): Scrolled {
  const [scrolled, setScrolled] = useState<Scrolled>({
    top: 0,
    height,
    width: 0.8 * innerWidth,
    goesOn: false,
  });
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const measure = () => {
      const { scrollTop: top, clientHeight, clientWidth: width } = element;
      const goesOn = element.scrollWidth - width - element.scrollLeft > 1;
      setScrolled((last) => {
        const isSame = last.top === top && last.height === clientHeight && last.width === width;
        return isSame && last.goesOn === goesOn ? last : { top, height: clientHeight, width, goesOn };
      });
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
    // Scrolling a box that was just made would lay out the whole page once more.
    if (shown.current !== list) box.current?.scrollTo({ top: 0 });
    shown.current = list;
  }, [list]);
  return scrolled;
}

interface Window {
  readonly first: number;
  readonly end: number;
}

/** Asks for the lines of a window. */
export function useNeeded(
  list: Pick<RowList, "need">,
  { first, end }: Window,
  came: () => void,
  failed: (error: Error) => void,
): void {
  useEffect(() => {
    const control = new AbortController();
    const ask = async () => {
      try {
        await list.need(first, end, control.signal);
        if (!control.signal.aborted) came();
      } catch (error) {
        if (!control.signal.aborted) failed(asError(error));
      }
    };
    void ask();
    return () => control.abort();
  }, [list, first, end]);
}
