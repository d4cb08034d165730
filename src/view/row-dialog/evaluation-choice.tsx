import type { VNode } from "preact";
import { Name } from "../parts/name.tsx";
import { shortNumber } from "../rows/readable.ts";
import type { RowLine } from "../rows/row-source.ts";
import { CellMark } from "../row-parts/cell-mark.tsx";
import type { RowColumnsShown } from "../row-parts/rows-state.ts";

interface EvaluationChoiceProps {
  readonly columns: RowColumnsShown;
  readonly values: RowLine["values"];
  /** Places of those that are shown, the baseline first. */
  readonly sides: readonly number[];
  readonly toggle: (id: string) => void;
}

/** Every evaluation's value on the row; a press compares it with the baseline, or no longer. */
export function EvaluationChoice({ columns, values, sides, toggle }: EvaluationChoiceProps): VNode {
  return (
    <ul class="evaluation-choice" aria-label="All evaluations">
      {columns.names.map(({ id, text, full }, i) => (
        <li key={id}>
          <button
            type="button"
            aria-pressed={sides.includes(i)}
            disabled={i === sides[0]}
            onClick={() => toggle(id)}
          >
            <CellMark value={values[i]} score={columns.score} numberIn={shortNumber} />
            <span class="choice-name">
              <Name text={text} full={full} />
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
