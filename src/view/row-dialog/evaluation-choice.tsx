import type { VNode } from "preact";
import { Name } from "../parts/name.tsx";
import type { RowLine } from "../rows/row-source.ts";
import { CellMark } from "../row-parts/cell-mark.tsx";
import type { RowColumnsShown } from "../row-parts/rows-state.ts";

interface EvaluationChoiceProps {
  readonly columns: RowColumnsShown;
  readonly values: RowLine["values"];
  readonly left: number;
  readonly right: number | null;
  readonly choose: (id: string) => void;
}

/** Every evaluation's value on the row; a press compares it with the baseline. */
export function EvaluationChoice({ columns, values, left, right, choose }: EvaluationChoiceProps): VNode {
  return (
    <ul class="evaluation-choice" aria-label="All evaluations">
      {columns.names.map(({ id, text, full }, i) => (
        <li key={id}>
          <button type="button" aria-pressed={i === right} disabled={i === left} onClick={() => choose(id)}>
            <CellMark value={values[i]} binary={columns.score?.binary ?? false} />
            <span class="choice-name">
              <Name text={text} full={full} />
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
