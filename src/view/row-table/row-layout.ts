import { sidesOf, type RowColumnsShown, type RowsState } from "../row-parts/rows-state.ts";
import { ROW_HEIGHT } from "../row-parts/row-window.ts";

/** How the rows of a table are laid out: places among the evaluations. */
export interface RowLayout {
  /** Whether a row has its input above its values, each with a name, as narrow pages have it. */
  readonly stacked: boolean;
  /** How many values stand side by side in a stacked row. */
  readonly across: number;
  /** Whose values are shown. */
  readonly values: readonly number[];
  /** Whose outputs have a column. */
  readonly outputs: readonly number[];
  /** Whose first trial shows its steps as a strip; null where none does. */
  readonly steps: number | null;
}

/** Narrower tables have no strips. */
export const STRIPS_FROM = 900;
/** A page of fewer pixels has stacked rows; the style says the same. */
export const STACKED_BELOW = 700;
/** A stacked row has the values of at most so many, two a line where their names are short. */
const MOST_STACKED = 6;
const LONGEST_BESIDE = 15;

interface RowsShown {
  readonly stacked: boolean;
  readonly hasOutputs: boolean;
  /** Default false. */
  readonly hasStrips?: boolean;
}

/**
 * The layout of rows; of many evaluations a stacked row has the first values, those that are compared before others.
 */
export function rowLayout(
  columns: RowColumnsShown,
  wanted: RowsState["with"],
  { stacked, hasOutputs, hasStrips = false }: RowsShown,
): RowLayout {
  const all = columns.names.map((_, place) => place);
  const sides = columns.names.length === 0 ? [] : sidesOf(columns, wanted);
  const across = columns.names.some(({ short }) => short.length > LONGEST_BESIDE) ? 1 : 2;
  return {
    stacked,
    across,
    values:
      stacked && all.length > MOST_STACKED ? [...new Set([...sides, ...all])].slice(0, MOST_STACKED) : all,
    outputs: hasOutputs && !stacked ? sides.slice(0, 2) : [],
    steps: hasStrips && !stacked ? (sides[1] ?? sides[0] ?? null) : null,
  };
}

const LINE = 21;
const VALUES_LINE = 30;
const AROUND = 19;
const MOST_LINES = 3;

/** Pixels of a row of which the input takes so many lines; the style says the same. */
export function rowHeight({ stacked, across, values }: RowLayout, lines: number): number {
  return stacked
    ? lines * LINE + Math.max(1, Math.ceil(values.length / across)) * VALUES_LINE + AROUND
    : ROW_HEIGHT;
}

/** Pixels of a letter, on the large side; those of the East are twice as wide. */
const LETTER = 8.4;

/** How many lines an input takes in this many pixels, three at most. */
export function linesOf(input: string, width: number): number {
  const letters = input.length + (input.match(/[\u1100-\uffdc]/gu)?.length ?? 0);
  return Math.max(1, Math.min(MOST_LINES, Math.ceil((letters * LETTER) / Math.max(LETTER, width))));
}
