import type { Directions } from "../model/direction.ts";

/** What a scorer says of a trial: a number, a truth, a text, or several of these by name. Null is stored as null. */
export type ScoreValue = boolean | number | string | null | { readonly [name: string]: ScoreValue };

/** What a scorer judges. */
export interface ScoredTrial<Row, Output> {
  /** The dataset row. */
  readonly row: Row;
  /** What the task returned. */
  readonly output: Output;
  /** Number of the trial among those of its row, from 0. */
  readonly trial: number;
  /** Aborts when the scorer has run too long, and when the evaluation ends early. */
  readonly signal: AbortSignal;
}

/** Judges the output of a trial. `undefined` is no opinion: the score is missing. */
export type ScoreFunction<Row, Output> = (
  trial: ScoredTrial<Row, Output>,
) => ScoreValue | undefined | Promise<ScoreValue | undefined>;

/** Judges the output of a trial: a function, or one with what is to be known of it. */
export type Scorer<Row, Output> =
  | ScoreFunction<Row, Output>
  | {
      readonly score: ScoreFunction<Row, Output>;
      /** Which way its values are good; of several values by their names: `{ length: "lower" }`. */
      readonly better?: "higher" | "lower" | Directions | undefined;
      /** Its version; answers name the scorers whose versions differ. */
      readonly version?: string | undefined;
    };
