import type { VNode } from "preact";
import { writeJson, type Json } from "../../model/json.ts";
import { framed, Name } from "../parts/name.tsx";
import type { Part } from "../rows/marks.ts";
import { shortNumber, type Readable } from "../rows/readable.ts";
import type { DetailTrial } from "../rows/row-source.ts";
import { cutText } from "../words/cut-text.ts";
import { countText } from "../words/figures.ts";
import type { Score } from "../words/score.ts";
import type { EvaluationName } from "../words/names.ts";
import { CellMark } from "../row-parts/cell-mark.tsx";
import { StoredValue } from "./stored-value.tsx";

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
  readonly marks: readonly Part[] | null;
}

/** One side of a row: what an evaluation answered, and what became of it. */
export function TrialPane(props: TrialPaneProps): VNode {
  const { name, isBaseline, value, score, trials, chosen, output, marks } = props;
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
          <StoredValue
            heading="h4"
            title={
              <>
                Output of <Name text={name.text} full={name.full} />
              </>
            }
            value={output}
            of={name.text}
            leftOut="This report does not hold the output of this row."
            marks={marks}
            marked={isBaseline ? "del" : "ins"}
          />
          <TrialFacts trial={trial} />
        </>
      )}
    </div>
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

function TrialFacts({ trial }: { readonly trial: DetailTrial }): VNode {
  const { scores, latency, tokens, error } = trial;
  return (
    <dl class="facts">
      {scores.slice(0, MOST_SCORES).map(([score, value]) => (
        <Fact key={score} name={score} {...scoreText(value)} />
      ))}
      {scores.length > MOST_SCORES ? (
        <Fact name="more scores" text={countText(scores.length - MOST_SCORES)} />
      ) : null}
      {latency === null ? null : (
        <Fact name="latency" text={`${shortNumber(latency)} s`} whole={`${latency} s`} />
      )}
      {tokens === null ? null : <Fact name="tokens" text={countText(tokens)} />}
      {error === null ? null : <Fact name="exception" text={error} />}
    </dl>
  );
}

const LONGEST_FACT = 20_000;

interface FactProps {
  readonly name: string;
  readonly text: string;
  /** With all digits. */
  readonly whole?: string;
}

function Fact({ name, text, whole }: FactProps): VNode {
  return (
    <>
      <dt>
        <Name text={name} />
      </dt>
      <dd title={whole}>{framed(cutText(text, LONGEST_FACT))}</dd>
    </>
  );
}

function scoreText(value: Json): { readonly text: string; readonly whole?: string } {
  if (typeof value === "number") return { text: shortNumber(value), whole: String(value) };
  return { text: typeof value === "string" ? value : writeJson(value) };
}
