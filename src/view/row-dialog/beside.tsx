import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import type { EvaluationName } from "../../words/names.ts";
import { counted } from "../../words/figures.ts";
import { bracketed, Name } from "../parts/name.tsx";
import { Failure } from "../row-parts/failure.tsx";
import type { RowColumnsShown } from "../row-parts/rows-state.ts";
import { useAsked } from "../row-parts/use-asked.ts";
import type { BesideSteps, RowDetail, RowSource } from "../rows/row-source.ts";
import type { StepsWanted, TrialSteps } from "../rows/trial-steps.ts";
import { BesideLists } from "./beside-lists.tsx";

export interface BesideProps {
  readonly detail: RowDetail;
  readonly source: Pick<RowSource, "steps" | "beside" | "pair">;
  readonly columns: RowColumnsShown;
  /** Places of the evaluations that are shown. */
  readonly sides: readonly number[];
  /** The dimension that says whether a trial passed; null where there is none. */
  readonly success: string | null;
  /** Keys of the attempts that are wanted; of none the usual ones are shown. */
  readonly attempts: readonly string[];
  readonly chooseAttempts: (attempts: readonly string[]) => void;
}

/** A trial of the row. */
interface Attempt {
  /** Its evaluation and its number, as the address has them. */
  readonly key: string;
  readonly wanted: StepsWanted;
  readonly name: EvaluationName;
  readonly passed: boolean | null;
}

const MOST_BESIDE = 3;

/** What attempts at a row did, beside each other. */
export function BesidePart(props: BesideProps): VNode | null {
  const { sides, source, attempts: wanted, chooseAttempts } = props;
  const all = useMemo(() => attemptsOf(props), [props.detail, sides.join(), props.success]);
  const chosen = wanted.flatMap((key) => all.find((one) => one.key === key) ?? []).slice(0, MOST_BESIDE);
  const usual = useAsked(
    chosen.length > 0 || all.length < 2 ? null : (signal) => usualPair(source, all, props.success, signal),
    [source, all, chosen.length > 0],
  );
  if (all.length < 2) return null;
  const shown = chosen.length > 0 ? chosen : (usual.answer ?? []);
  const isWaiting = chosen.length === 0 && usual.asking;
  const toggle = (one: Attempt) => {
    const others = shown.filter(({ key }) => key !== one.key);
    const next = others.length < shown.length ? others : [...shown, one].slice(-MOST_BESIDE);
    if (next.length > 0) chooseAttempts(next.map(({ key }) => key));
  };
  return (
    <section class="beside" aria-label="Beside">
      <h3>Beside</h3>
      {sides.map((place) => (
        <AttemptButtons
          key={place}
          own={all.filter(({ wanted: { evaluation } }) => evaluation === place)}
          {...{ shown, toggle }}
          isWaiting={isWaiting}
        />
      ))}
      {usual.error === null ? null : <Failure error={usual.error} again={usual.again} />}
      {shown.length < 2 ? (
        <p class="hint">{isWaiting ? "Reading the steps." : "Choose another attempt."}</p>
      ) : (
        <Chosen key={shown.map(({ key }) => key).join("\n")} source={source} shown={shown} />
      )}
    </section>
  );
}

interface AttemptButtonsProps {
  /** The attempts of one evaluation. */
  readonly own: readonly Attempt[];
  readonly shown: readonly Attempt[];
  readonly toggle: (one: Attempt) => void;
  /** Whether the usual ones are not known yet, which a choice adds to. */
  readonly isWaiting: boolean;
}

function AttemptButtons({ own, shown, toggle, isWaiting }: AttemptButtonsProps): VNode | null {
  const name = own[0]?.name;
  if (name === undefined) return null;
  return (
    <div role="group" aria-label={`Attempts of ${bracketed(name.text)}`} class="trials">
      <Name text={name.text} full={name.full} />
      {own.map((one) => (
        <button
          key={one.key}
          type="button"
          disabled={isWaiting}
          aria-pressed={shown.some(({ key }) => key === one.key)}
          onClick={() => toggle(one)}
        >
          {attemptText(one)}
        </button>
      ))}
    </div>
  );
}

function attemptsOf({ detail, columns, sides, success }: BesideProps): Attempt[] {
  return sides.flatMap((evaluation) => {
    const name = columns.names[evaluation];
    if (name === undefined) return [];
    return (detail.trials[evaluation] ?? []).map((one, trial): Attempt => {
      const value = success === null ? undefined : one.score(success);
      const passed = typeof value === "boolean" || value === 0 || value === 1 ? Boolean(value) : null;
      const wanted = { digest: detail.digest, evaluation, trial, id: one.id };
      return { key: `${name.id}:${trial + 1}`, wanted, name, passed };
    });
  });
}

function attemptText({ wanted: { trial }, passed }: Attempt): string {
  return `Attempt ${trial + 1}${passed === null ? "" : passed ? ": passed" : ": failed"}`;
}

/** A failing attempt and the passing one that it follows longest, the candidate's if it has both; else two. */
async function usualPair(
  source: BesideProps["source"],
  all: readonly Attempt[],
  success: string | null,
  signal: AbortSignal,
): Promise<readonly Attempt[]> {
  const evaluations = [...new Set(all.map(({ wanted }) => wanted.evaluation))].toReversed();
  for (const evaluation of evaluations) {
    const own = all.filter(({ wanted }) => wanted.evaluation === evaluation);
    const isMixed = own.some(({ passed }) => passed === true) && own.some(({ passed }) => passed === false);
    if (!isMixed || success === null) continue;
    const trials = own.map(({ wanted, passed }) => ({ ...wanted, passed }));
    const pair = await source.pair({ success, trials }, signal);
    const found = (pair ?? []).flatMap((trial) => own[trial] ?? []);
    if (found.length === 2) return found;
  }
  return all.slice(0, 2);
}

interface ChosenProps {
  readonly source: BesideProps["source"];
  readonly shown: readonly Attempt[];
}

function Chosen({ source, shown }: ChosenProps): VNode {
  const wanted = shown.map((one) => one.wanted);
  const ask = (signal: AbortSignal) => readChosen(source, wanted, signal);
  // It is made anew for others.
  const { answer, asking, error, again } = useAsked<Read | null>(ask, [source]);
  if (error !== null) return <Failure error={error} again={again} />;
  if (answer === null)
    return (
      <p class="hint">
        {asking ? "Reading the steps." : "This report does not hold the steps of these attempts."}
      </p>
    );
  const { lines, steps } = answer;
  if (lines.line_count === 0) return <p class="hint">None of them calls a tool.</p>;
  const left = lines.line_count - lines.lines.length;
  const sides = shown.map((one, i) => ({
    text: `Attempt ${one.wanted.trial + 1} of ${bracketed(one.name.text)}`,
    name: one.name,
    steps: steps[i],
  }));
  return (
    <>
      {lines.warnings.map((one) => (
        <p key={one} class="hint">
          {one}
        </p>
      ))}
      {steps.some((one) => one.held < one.step_count) ? (
        <p class="hint">This report holds the first steps of each; what follows is not compared.</p>
      ) : null}
      <BesideLists sides={sides} lines={lines} />
      {left === 0 ? null : <p class="hint">{counted(left, "further line")} are left out.</p>}
    </>
  );
}

async function readChosen(
  source: BesideProps["source"],
  wanted: readonly StepsWanted[],
  signal: AbortSignal,
): Promise<Read | null> {
  const [lines, ...steps] = await Promise.all([
    source.beside(wanted, signal),
    ...wanted.map((one) => source.steps(one, signal)),
  ]);
  const held = steps.filter((one) => one !== null);
  return lines === null || held.length < steps.length ? null : { lines, steps: held };
}

interface Read {
  readonly lines: BesideSteps;
  readonly steps: readonly TrialSteps[];
}
