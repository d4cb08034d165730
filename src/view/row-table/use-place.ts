import { useRef, useState } from "preact/hooks";

interface Place {
  /** The row that the keyboard is at; `times` counts how often it was sent there. */
  readonly at: { readonly place: number; readonly times: number };
  readonly set: (place: number) => void;
  /** Gives the row the focus. */
  readonly focus: () => void;
  /** Goes to a neighbour and gives it the focus. */
  readonly step: (by: 1 | -1) => void;
}

/** Where the keyboard is in a table of `count` rows. */
export function usePlace(count: number): Place {
  const [at, setAt] = useState({ place: 0, times: 0 });
  const rows = useRef(count);
  rows.current = count;
  return {
    at,
    set: (place) => setAt(({ times }) => ({ place, times })),
    focus: () => setAt(({ place, times }) => ({ place, times: times + 1 })),
    step: (by) =>
      setAt(({ place, times }) => ({
        place: Math.max(0, Math.min(rows.current - 1, times === 0 && by === 1 ? 0 : place + by)),
        times: times + 1,
      })),
  };
}
