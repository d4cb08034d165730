import { useEffect, useState } from "preact/hooks";
import { scrollTo } from "../row-parts/row-window.ts";

/** Pixels of a step, and of a list at most; the style says the same. */
export const STEP_HEIGHT = 32;
export const STACKED_STEP_HEIGHT = 64;
export const STEPS_HIGHEST = 380;

interface StepAt {
  readonly line: number;
  /** The list, where several stand beside each other. */
  readonly column: number;
  /** How often the keyboard was sent there. */
  readonly times: number;
}

interface Box {
  readonly current: HTMLElement | null;
}

interface StepLists {
  /** The line that is shown at first; default the first one. */
  readonly start?: number | null;
  readonly count: number;
  /** The lines that are in the document. */
  readonly shown: { readonly first: number; readonly end: number };
  readonly columns?: number;
  /** Pixels of a line. */
  readonly high: number;
  /** What other keys do, told where the keyboard is. */
  readonly others: Readonly<Record<string, ((at: StepAt) => void) | undefined>>;
}

/**
 * Where the keyboard is in lists of steps in a box, and the keys that lead through them. The box scrolls to the step,
 * which gets the focus once it was sent for.
 */
export function useStepAt(box: Box, { start = null, count, shown, columns = 1, high, others }: StepLists) {
  const [at, setAt] = useState<StepAt>({ line: start ?? 0, column: 0, times: 0 });
  const { line, column } = at;
  useFocus(box, at, count, high);
  const go = (to: number, list = column) =>
    setAt((last) => ({ line: within(to, count), column: within(list, columns), times: last.times + 1 }));
  const keys: Readonly<Record<string, ((from: StepAt) => void) | undefined>> = {
    ...others,
    ArrowDown: () => go(line + 1),
    ArrowUp: () => go(line - 1),
    ...(columns > 1 ? { ArrowRight: () => go(line, column + 1), ArrowLeft: () => go(line, column - 1) } : {}),
    Home: () => go(0),
    End: () => go(count - 1),
  };
  const press = (event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, altKey } = event;
    const act = Object.hasOwn(keys, key) ? keys[key] : undefined;
    if (act === undefined || ctrlKey || metaKey || altKey) return;
    event.preventDefault();
    act(at);
  };
  return {
    column,
    /** The line that the tabulator reaches. */
    tabbed: line >= shown.first && line < shown.end ? line : shown.first,
    go,
    stay: (to: number, list = 0) => setAt({ line: to, column: list, times: 0 }),
    press,
  };
}

/** Scrolls to a line, and gives its step the focus where it was sent there. */
function useFocus(box: Box, { line, column, times }: StepAt, count: number, high: number): void {
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const top = scrollTo(count, line, element.scrollTop, element.clientHeight, high);
    if (top !== null) element.scrollTo({ top });
    if (times === 0) return undefined;
    const frame = requestAnimationFrame(() => {
      const list = element.querySelectorAll("ol")[column];
      list?.querySelector<HTMLElement>(`[data-step="${line}"]`)?.focus({ preventScroll: true });
    });
    return () => cancelAnimationFrame(frame);
  }, [line, column, times]);
}

function within(place: number, count: number): number {
  return Math.max(0, Math.min(count - 1, place));
}
