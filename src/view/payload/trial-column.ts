import { numberAt, unpackNumbers } from "./number-column.ts";
import { KIND } from "./payload-rows.ts";

/** One value for each trial: of a dimension, of latency or of tokens. */
export interface TrialColumn {
  /** The value of one trial, read where it stands; undefined where there is none. */
  readonly at: (trial: number) => number | boolean | null | undefined;
  /** All numbers, true as 1 and false as 0; NaN where there is none. A million take 50 ms at the first time. */
  readonly numbers: () => Float64Array;
}

/** The values of `ScoreStore`. */
export function unpackTrials(kinds: Uint8Array, packed: Uint8Array): TrialColumn {
  let numbers: Float64Array | null = null;
  return {
    at: (trial) => {
      const kind = kinds[trial];
      if (kind === KIND.number) return numberAt(packed, numbersBefore(kinds, trial));
      if (kind === KIND.null) return null;
      return kind === KIND.nothing ? undefined : kind === KIND.yes;
    },
    numbers: () => (numbers ??= spread(kinds, unpackNumbers(packed))),
  };
}

function numbersBefore(kinds: Uint8Array, trial: number): number {
  let count = 0;
  for (let at = 0; at < trial; at++) if (kinds[at] === KIND.number) count++;
  return count;
}

function spread(kinds: Uint8Array, numbers: Float64Array): Float64Array {
  const values = new Float64Array(kinds.length);
  let next = 0;
  for (let at = 0; at < kinds.length; at++) {
    const kind = kinds[at];
    if (kind === KIND.number) values[at] = numbers[next++] ?? Number.NaN;
    else values[at] = kind === KIND.yes ? 1 : kind === KIND.no ? 0 : Number.NaN;
  }
  return values;
}
