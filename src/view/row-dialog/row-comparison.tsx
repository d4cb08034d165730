import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Json } from "../../model/json.ts";
import { LONGEST_MARKED, markedInAny, marksOf, type Part } from "../rows/marks.ts";
import { readable, readableOutputs, type Readable, shortNumber } from "../rows/readable.ts";
import type { RowDetail, RowLine } from "../rows/row-source.ts";
import { valuesOf } from "../rows/row-values.ts";
import { countText } from "../../words/figures.ts";
import { rowSidesOf, toggled, type RowColumnsShown, type RowsState } from "../row-parts/rows-state.ts";
import { BesidePart, type BesideProps } from "./beside.tsx";
import { StoredValue } from "./stored-value.tsx";
import { wholeInput, wholeOutput, type RowParts } from "./whole-values.ts";
import { TrialPane } from "./trial-pane.tsx";
import { Name } from "../parts/name.tsx";
import { CellMark } from "../row-parts/cell-mark.tsx";

interface RowComparisonProps extends RowParts {
  readonly columns: RowColumnsShown;
  /** Whether trials of the page have steps. */
  readonly hasSteps: boolean;
  readonly success: BesideProps["success"];
  readonly attempts: BesideProps["attempts"];
  readonly chooseAttempts: BesideProps["chooseAttempts"];
  readonly with: RowsState["with"];
  readonly chooseWith: (ids: RowsState["with"]) => void;
  readonly marking: boolean;
  readonly setMarking: (marking: boolean) => void;
}

/** The input, all values, and two or three answers side by side. */
export function RowComparison(props: RowComparisonProps): VNode {
  const { detail, columns, with: wanted, chooseWith } = props;
  const values = useMemo(() => valuesOf(detail, columns.score?.key ?? null), [detail, columns]);
  const sides = rowSidesOf(columns, values, wanted);
  const input = useMemo(() => readableInput(detail.input), [detail]);
  return (
    <>
      {detail.editedInputs === null ? (
        <StoredValue
          heading="h3"
          title="Input"
          value={input}
          whole={wholeInput(props, null)}
          read={readable}
          leftOut="This report does not hold the inputs of rows."
          marks={null}
          marked="ins"
        />
      ) : (
        <EditedInput {...props} sides={sides} inputs={detail.editedInputs} />
      )}
      {detail.inputCut ? <p class="hint">This report holds one line of each input.</p> : null}
      {columns.names.length > 2 ? (
        <EvaluationChoice
          columns={columns}
          values={values}
          sides={sides}
          toggle={(id) => chooseWith(toggled(columns, sides, id))}
        />
      ) : null}
      <Sides key={sides.join(" ")} {...props} values={values} sides={sides} />
      {props.source === null || !props.hasSteps ? null : (
        <BesidePart {...props} source={props.source} sides={sides} />
      )}
    </>
  );
}

interface EditedInputProps extends RowComparisonProps {
  readonly sides: readonly number[];
  readonly inputs: NonNullable<RowDetail["editedInputs"]>;
}

function readableInput(input: Json | undefined): Readable | null {
  return input === undefined ? null : readable(input);
}

/** What each of the shown evaluations has of a row that was edited between them. */
function EditedInput(props: EditedInputProps): VNode {
  const { detail, columns, marking, sides, inputs } = props;
  const values = useMemo(() => sides.map((place) => readableInput(inputs[place])), [inputs, sides.join(" ")]);
  const cut = sides.some((place) => detail.editedBytes[place] != null);
  const marks = useMarks(values, marking && !cut);
  return (
    <>
      <p class="edited">
        <strong>Edited</strong> <span class="hint">The evaluations hold different rows of one key.</span>
      </p>
      <div class="panes">
        {sides.map((place, side) => {
          const name = columns.names[place];
          return name === undefined ? null : (
            <StoredValue
              key={name.id}
              heading="h3"
              title={
                <>
                  Input of <Name text={name.text} full={name.full} />
                </>
              }
              value={values[side] ?? null}
              whole={wholeInput(props, place)}
              read={readable}
              leftOut="Its input is not here."
              marks={marks[side] ?? null}
              marked={side === 0 ? "del" : "ins"}
            />
          );
        })}
      </div>
    </>
  );
}

interface SidesProps extends RowComparisonProps {
  readonly values: ReturnType<typeof valuesOf>;
  readonly sides: readonly number[];
}

function Sides(props: SidesProps): VNode {
  const { detail, columns, marking, setMarking, values, sides } = props;
  const [trials, setTrials] = useState(() => sides.map(() => 0));
  const { outputs, cut } = useOutputs(detail, sides, trials);
  const marks = useMarks(outputs, marking && !cut);
  const tooLong = cut || outputs.some((one) => one !== null && one.text.length > LONGEST_MARKED);
  return (
    <>
      {sides.length < 2 ? null : (
        <MarkingChoice marking={marking} setMarking={setMarking} tooLong={tooLong} />
      )}
      <div class="panes">
        {sides.map((place, side) => {
          const name = columns.names[place];
          if (name === undefined) return null;
          return (
            <TrialPane
              key={name.id}
              name={name}
              isBaseline={name.id === columns.baseline}
              value={values[place]}
              score={columns.score}
              trials={detail.trials[place] ?? []}
              chosen={trials[side] ?? 0}
              choose={(trial) => setTrials(trials.with(side, trial))}
              output={outputs[side] ?? null}
              whole={wholeOutput(props, place, trials[side] ?? 0)}
              marks={marks[side] ?? null}
              steps={stepsOf(props, place, trials[side] ?? 0)}
            />
          );
        })}
      </div>
    </>
  );
}

function stepsOf({ detail, source, hasSteps }: RowComparisonProps, evaluation: number, trial: number) {
  if (source === null || !hasSteps) return null;
  const id = detail.trials[evaluation]?.[trial]?.id ?? null;
  return { source, wanted: { digest: detail.digest, evaluation, trial, id } };
}

/** The outputs of the chosen trials, and whether any is the start alone. */
function useOutputs(detail: RowDetail, sides: readonly number[], trials: readonly number[]) {
  return useMemo(() => {
    const shown = sides.map((place, i) => detail.trials[place]?.[trials[i] ?? 0]);
    const isCut = shown.map((trial) => trial !== undefined && trial.outputBytes !== null);
    const outputs = readableOutputs(
      shown.map((trial) => trial?.output),
      isCut,
    );
    return { outputs, cut: isCut.includes(true) };
  }, [detail, trials]);
}

interface MarkingChoiceProps {
  readonly marking: boolean;
  readonly setMarking: (marking: boolean) => void;
  readonly tooLong: boolean;
}

function MarkingChoice({ marking, setMarking, tooLong }: MarkingChoiceProps): VNode {
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

/** The marks of each output: the others against the first, the first against all of them. Null where it has none. */
function useMarks(outputs: readonly (Readable | null)[], marking: boolean): (readonly Part[] | null)[] {
  return useMemo(() => {
    const [first, ...others] = outputs;
    const pairs = others.map((other) =>
      marking && first != null && other !== null ? marksOf(first.text, other.text) : null,
    );
    const left = pairs.flatMap((pair) => (pair === null ? [] : [pair.left]));
    return [left.length === 0 ? null : markedInAny(left), ...pairs.map((pair) => pair?.right ?? null)];
  }, [outputs, marking]);
}

interface EvaluationChoiceProps {
  readonly columns: RowColumnsShown;
  readonly values: RowLine["values"];
  /** Places of those that are shown, the baseline first. */
  readonly sides: readonly number[];
  readonly toggle: (id: string) => void;
}

/** Every evaluation's value on the row; a press compares it with the baseline, or no longer. */
function EvaluationChoice({ columns, values, sides, toggle }: EvaluationChoiceProps): VNode {
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
            <Name text={text} full={full} />
          </button>
        </li>
      ))}
    </ul>
  );
}
