import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import { LONGEST_MARKED, marksOf, type Marks } from "../rows/marks.ts";
import { readable, type Readable } from "../rows/readable.ts";
import type { DetailTrial, RowDetail } from "../rows/row-source.ts";
import { countText } from "../words/figures.ts";
import { EvaluationChoice } from "./evaluation-choice.tsx";
import { sidesOf, valuesOf, type RowColumnsShown } from "../row-parts/rows-state.ts";
import { StoredValue } from "./stored-value.tsx";
import { TrialPane } from "./trial-pane.tsx";

interface RowComparisonProps {
  readonly detail: RowDetail;
  readonly columns: RowColumnsShown;
  readonly with: string | null;
  readonly chooseWith: (id: string) => void;
  readonly marking: boolean;
  readonly setMarking: (marking: boolean) => void;
}

/** The input, all values, and two answers side by side. */
export function RowComparison(props: RowComparisonProps): VNode {
  const { detail, columns, with: wanted, chooseWith } = props;
  const values = useMemo(() => valuesOf(detail, columns.score?.name ?? null), [detail, columns]);
  const { left, right } = sidesOf(columns, values, wanted);
  return (
    <>
      <StoredValue
        heading="h3"
        title="Input"
        value={useReadable(detail.input)}
        leftOut="This report does not hold the inputs of rows."
        marks={null}
        marked="ins"
      />
      {detail.inputCut ? <p class="hint">This report holds one line of each input.</p> : null}
      {columns.names.length > 2 ? (
        <EvaluationChoice columns={columns} values={values} left={left} right={right} choose={chooseWith} />
      ) : null}
      <Sides key={`${left} ${right}`} {...props} values={values} left={left} right={right} />
    </>
  );
}

interface SidesProps extends RowComparisonProps {
  readonly values: ReturnType<typeof valuesOf>;
  readonly left: number;
  readonly right: number | null;
}

function Sides({ detail, columns, marking, setMarking, values, left, right }: SidesProps): VNode {
  const [trials, setTrials] = useState<readonly [number, number]>([0, 0]);
  const outputs = [
    useReadable(outputOf(detail.trials[left], trials[0])),
    useReadable(right === null ? undefined : outputOf(detail.trials[right], trials[1])),
  ] as const;
  const marks = useMarks(outputs, marking);
  const pane = (evaluation: number, side: 0 | 1) => {
    const name = columns.names[evaluation];
    if (name === undefined) return null;
    return (
      <TrialPane
        name={name}
        isBaseline={name.id === columns.baseline}
        value={values[evaluation]}
        binary={columns.score?.binary ?? false}
        trials={detail.trials[evaluation] ?? []}
        chosen={trials[side]}
        choose={(trial) => setTrials(side === 0 ? [trial, trials[1]] : [trials[0], trial])}
        output={outputs[side]}
        marks={marks === null ? null : side === 0 ? marks.left : marks.right}
      />
    );
  };
  return (
    <>
      {right === null ? null : <MarkingChoice marking={marking} setMarking={setMarking} outputs={outputs} />}
      <div class="panes">
        {pane(left, 0)}
        {right === null ? null : pane(right, 1)}
      </div>
    </>
  );
}

interface MarkingChoiceProps {
  readonly marking: boolean;
  readonly setMarking: (marking: boolean) => void;
  readonly outputs: readonly (Readable | null)[];
}

function MarkingChoice({ marking, setMarking, outputs }: MarkingChoiceProps): VNode {
  const tooLong = outputs.some((one) => one !== null && one.text.length > LONGEST_MARKED);
  return (
    <p class="marking">
      <label>
        <input
          type="checkbox"
          checked={marking}
          onChange={(event) => setMarking(event.currentTarget.checked)}
        />{" "}
        Mark differences of the outputs
      </label>
      {marking && tooLong ? (
        <span class="hint">
          {" "}
          Texts of more than {countText(LONGEST_MARKED)} characters are too long for this.
        </span>
      ) : null}
    </p>
  );
}

function useMarks([left, right]: readonly (Readable | null)[], marking: boolean): Marks | null {
  return useMemo(
    () => (marking && left != null && right != null ? marksOf(left.text, right.text) : null),
    [left?.text, right?.text, marking],
  );
}

function outputOf(trials: readonly DetailTrial[] | undefined, place: number): DetailTrial["output"] {
  return trials?.[place]?.output;
}

function useReadable(value: DetailTrial["output"]): Readable | null {
  return useMemo(() => (value === undefined ? null : readable(value)), [value]);
}
