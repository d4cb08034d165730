import type { Key } from "../../model/digest.ts";
import type { TurnTaker } from "../../model/turns.ts";
import type { FileSession } from "../../store/session.ts";
import { sql } from "../../store/sql.ts";
import { columnsOfScores } from "../../ingest/write/score-columns.ts";
import {
  clearScoreValues,
  noScoreValues,
  removeScoreValues,
  type ScoreValues,
} from "../../ingest/write/score-values.ts";

/** Score values of a load that are yet to be written. */
export interface PendingScores {
  /** Where a batch adds its values. */
  readonly values: ScoreValues;
  /** Forgets the values of trials. */
  readonly remove: (trials: ReadonlySet<Key>) => void;
  /** Called when a batch has added its values: writes all where they are many. */
  readonly added: () => Promise<void>;
  readonly write: () => Promise<void>;
}

/** So many values are written at once, ordered by dimension: half of what a row group of DuckDB has. */
const MOST_VALUES = 61_440;

/** Fewer where their texts are long. */
const MOST_CHARACTERS = 8 * 1024 * 1024;

export function pendingScores(session: FileSession, turns: TurnTaker): PendingScores {
  const values = noScoreValues();
  const write = async () => {
    if (countValues(values) === 0) return;
    session.load("scores", await columnsOfScores(values, turns));
    clearScoreValues(values);
    await session.run(sql`INSERT INTO scores BY NAME SELECT * FROM loaded('scores')`);
  };
  return {
    values,
    remove: (trials) => {
      if (trials.size > 0) removeScoreValues(values, trials);
    },
    added: async () => {
      if (countValues(values) >= MOST_VALUES || countCharacters(values) >= MOST_CHARACTERS) await write();
    },
    write,
  };
}

function countValues({ dimensions }: ScoreValues): number {
  return [...dimensions.values()].reduce((sum, { length }) => sum + length, 0);
}

function countCharacters({ dimensions }: ScoreValues): number {
  let characters = 0;
  for (const { texts } of dimensions.values()) for (const text of texts) characters += text?.length ?? 0;
  return characters;
}
