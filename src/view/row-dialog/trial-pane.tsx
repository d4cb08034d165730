import type { VNode } from "preact";
import { writeJson } from "../../model/json.ts";
import { Facts, type Fact } from "../parts/facts.tsx";
import { framed, Name } from "../parts/name.tsx";
import type { Part } from "../rows/marks.ts";
import { readable, readableOutput, shortNumber, type Readable } from "../rows/readable.ts";
import type { DetailTrial, RowSource } from "../rows/row-source.ts";
import type { StepsWanted } from "../rows/trial-steps.ts";
import { cutText } from "../../words/cut-text.ts";
import { countText } from "../../words/figures.ts";
import type { Score } from "../../words/score.ts";
import type { EvaluationName } from "../../words/names.ts";
import { CellMark } from "../row-parts/cell-mark.tsx";
import { StoredValue } from "./stored-value.tsx";
import { TrialStepsPart } from "./trial-steps.tsx";
import type { WholeSource } from "./whole-text.tsx";

interface TrialPaneProps {
  readonly name: EvaluationName;
  readonly isBaseline: boolean;
  readonly value: number | null | undefined;
  readonly score: Score | null;
  readonly trials: readonly DetailTrial[];
  /** Which of the trials is shown. */
  readonly chosen: number;
  readonly choose: (trial: number) => void;
  readonly output: Readable | null;
  /** Where the whole output of the chosen trial comes from. */
  readonly whole: WholeSource;
  readonly marks: readonly Part[] | null;
  /** Where the steps of the chosen trial come from; null where no trial has steps. */
  readonly steps: { readonly source: Pick<RowSource, "steps">; readonly wanted: StepsWanted } | null;
}

/** One side of a row: what an evaluation answered, and what became of it. */
export function TrialPane(props: TrialPaneProps): VNode {
  const { name, isBaseline, value, score, trials, chosen, steps } = props;
  const trial = trials[chosen];
  return (
    <div class="pane">
      <h3>
        {isBaseline ? <span class="hint">baseline </span> : null}
        <Name text={name.text} full={name.full} />{" "}
        <CellMark value={value} score={score} numberIn={shortNumber} />
      </h3>
      <TrialChoice {...props} />
      {trial === undefined ? (
        <p class="hint">This row was not run.</p>
      ) : (
        <>
          {steps === null ? (
            <Output {...props} />
          ) : (
            <TrialStepsPart
              key={chosen}
              {...{ name, ...steps }}
              isSilent={trial.output === null}
              output={<Output {...props} />}
            />
          )}
          <Facts facts={factsOf(trial)} />
          <Details {...trial} />
        </>
      )}
    </div>
  );
}

function Output({ name, isBaseline, output, whole, marks }: TrialPaneProps): VNode {
  return (
    <StoredValue
      heading="h4"
      title={
        <>
          Output of <Name text={name.text} full={name.full} />
        </>
      }
      value={output}
      whole={whole}
      read={readableOutput}
      of={name.text}
      leftOut="This report does not hold the output of this row."
      marks={marks}
      marked={isBaseline ? "del" : "ins"}
    />
  );
}

function Details({ details = null }: Pick<DetailTrial, "details">): VNode | null {
  if (details === null) return null;
  return (
    <StoredValue
      heading="h4"
      title="Details"
      value={readable(details)}
      leftOut=""
      marks={null}
      marked="ins"
    />
  );
}

function TrialChoice({ trials, chosen, choose }: TrialPaneProps): VNode | null {
  if (trials.length < 2) return null;
  return (
    <div role="group" aria-label="Trials" class="trials">
      {trials.map((_, i) => (
        <button key={i} type="button" aria-pressed={i === chosen} onClick={() => choose(i)}>
          Trial {i + 1}
        </button>
      ))}
    </div>
  );
}

/** Beyond so many scores the rest is counted. */
const MOST_SCORES = 200;

const LONGEST_FACT = 20_000;

function factsOf({ scores, latency, tokens, error }: DetailTrial): Fact[] {
  const left = scores.length - MOST_SCORES;
  return [
    ...scores
      .slice(0, MOST_SCORES)
      .map(([name, value]): Fact => [
        <Name text={name} />,
        typeof value === "number" ? (
          <span title={String(value)}>{shortNumber(value)}</span>
        ) : (
          framed(cutText(typeof value === "string" ? value : writeJson(value), LONGEST_FACT))
        ),
      ]),
    ...(left > 0 ? [["more scores", countText(left)] as const] : []),
    ...(latency === null
      ? []
      : [["latency", <span title={`${latency} s`}>{shortNumber(latency)} s</span>] as const]),
    ...(tokens === null ? [] : [["tokens", countText(tokens)] as const]),
    ...(error === null ? [] : [["exception", framed(cutText(error, LONGEST_FACT))] as const]),
  ];
}
