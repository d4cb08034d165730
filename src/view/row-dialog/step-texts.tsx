import type { VNode } from "preact";
import type { Json } from "../../model/json.ts";
import type { EvaluationName } from "../../words/names.ts";
import { stepName } from "../../words/step-words.ts";
import { bracketed } from "../parts/name.tsx";
import { Failure } from "../row-parts/failure.tsx";
import { useAsked } from "../row-parts/use-asked.ts";
import { readable, readableOutput } from "../rows/readable.ts";
import type { TrialSteps } from "../rows/trial-steps.ts";
import { StoredValue } from "./stored-value.tsx";

interface StepTextsProps {
  readonly name: EvaluationName;
  readonly steps: TrialSteps;
  readonly place: number;
}

/** What went into a step, and what came of it. */
export function StepTexts({ name, steps, place }: StepTextsProps): VNode {
  const { whole } = steps;
  const asked = useAsked(whole === null ? null : (signal) => whole(place, signal), [steps, place]);
  const step = whole === null ? steps.at(place) : asked.answer;
  const title = step == null ? "Step" : `Step ${step.step ?? ""}: ${stepName(step)}`;
  return (
    <section class="step-texts" aria-label={bracketed(`${title}, of ${name.text}`)}>
      {asked.error === null ? null : <Failure error={asked.error} again={asked.again} />}
      {step == null ? (
        <p class="hint">Reading the texts.</p>
      ) : (
        <>
          {whole === null ? <p class="hint">This report holds one line of each text of a step.</p> : null}
          <Text title="Input of the step" value={step.input ?? null} read={readable} />
          <Text title="Output of the step" value={step.output ?? null} read={readableOutput} of={name.text} />
        </>
      )}
    </section>
  );
}

interface TextProps {
  readonly title: string;
  readonly value: Json;
  readonly read: typeof readable;
  readonly of?: string;
}

function Text({ title, value, read, of = "" }: TextProps): VNode {
  return (
    <StoredValue
      heading="h4"
      title={title}
      value={value === null ? null : read(value)}
      of={of}
      leftOut="There is none."
      marks={null}
      marked="ins"
    />
  );
}
