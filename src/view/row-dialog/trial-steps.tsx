import type { VNode } from "preact";
import type { EvaluationName } from "../../words/names.ts";
import { counted, countText } from "../../words/figures.ts";
import { trialWords } from "../../words/step-words.ts";
import { bracketed, framed, Name } from "../parts/name.tsx";
import { Failure } from "../row-parts/failure.tsx";
import { useAsked } from "../row-parts/use-asked.ts";
import type { RowSource } from "../rows/row-source.ts";
import type { StepsWanted, TrialSteps } from "../rows/trial-steps.ts";
import { StepsList } from "./steps-list.tsx";

interface TrialStepsProps {
  readonly name: EvaluationName;
  readonly source: Pick<RowSource, "steps">;
  readonly wanted: StepsWanted;
  /** Whether the trial answered nothing, so that its steps stand instead of an answer. */
  readonly isSilent: boolean;
  /** What the trial answered. */
  readonly output: VNode;
}

/** What a trial answered, and what it did; of one that answered nothing what it did alone. */
export function TrialStepsPart({ name, source, wanted, isSilent, output }: TrialStepsProps): VNode {
  const { digest, evaluation, trial } = wanted;
  const asked = useAsked((signal) => source.steps(wanted, signal), [source, digest, evaluation, trial]);
  const { answer: steps, asking, error, again } = asked;
  if (error !== null)
    return (
      <>
        {output}
        <Failure error={error} again={again} />
      </>
    );
  if (steps === null && asking) return isSilent ? <p class="hint">Reading the steps.</p> : output;
  if (steps === null)
    return (
      <>
        {output}
        <p class="hint">This report does not hold the steps of this trial.</p>
      </>
    );
  if (steps.step_count === 0) return output;
  return (
    <>
      {isSilent ? null : output}
      <Told name={name} steps={steps} />
    </>
  );
}

interface ToldProps {
  readonly name: EvaluationName;
  readonly steps: TrialSteps;
}

function Told({ name, steps }: ToldProps): VNode {
  const left = steps.step_count - steps.held;
  return (
    <section class="trial-steps" aria-label={`Steps and errors of ${bracketed(name.text)}`}>
      <h4>
        Steps of <Name text={name.text} full={name.full} />
      </h4>
      <p class="hint">{framed(trialWords(steps))}</p>
      <StepsList name={name} steps={steps} />
      {left === 0 ? null : (
        <p class="hint">
          This report holds the first {countText(steps.held)}; {counted(left, "further step")} are left out.
        </p>
      )}
    </section>
  );
}
