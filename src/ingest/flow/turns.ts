import { nextTurn } from "../../model/next-turn.ts";

/** Divides long work into turns of the event loop. */
export interface TurnTaker {
  /** Whether the turn has lasted long enough. Costs next to nothing, to be asked at every record. */
  readonly isOver: () => boolean;
  readonly next: () => Promise<void>;
}

/** DuckDB asks the main thread for each chunk of what it loads, some fifty times a batch, and waits for the end of a turn. */
const TURN_MILLISECONDS = 0.25;
const RECORDS_A_LOOK = 16;

export function createTurnTaker(): TurnTaker {
  let start = performance.now();
  let asked = 0;
  return {
    isOver: () => ++asked % RECORDS_A_LOOK === 0 && performance.now() - start > TURN_MILLISECONDS,
    next: async () => {
      await nextTurn();
      start = performance.now();
    },
  };
}
