import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { EvaluationName } from "../../words/names.ts";
import { stepMarks } from "../../words/step-words.ts";
import { bracketed, framed } from "../parts/name.tsx";
import { rowWindow } from "../row-parts/row-window.ts";
import { asError } from "../row-parts/use-asked.ts";
import { useNeeded, useScrolled } from "../row-parts/use-scrolled.ts";
import type { TrialSteps } from "../rows/trial-steps.ts";
import { stepGroups, StepItems } from "./step-item.tsx";
import { StepTexts } from "./step-texts.tsx";
import { STACKED_STEP_HEIGHT, STEP_HEIGHT, STEPS_HIGHEST, useStepAt } from "./use-step-at.ts";

interface StepsListProps {
  readonly name: EvaluationName;
  readonly steps: TrialSteps;
}

/** A narrower list has steps of two lines. */
const STACKED_BELOW = 480;

/** The steps and frames of a trial in a box that scrolls; of many those that are seen, and a few around them. */
export function StepsList({ name, steps }: StepsListProps): VNode {
  const box = useRef<HTMLDivElement>(null);
  const [told, setTold] = useState("");
  const [opened, setOpened] = useState<number | null>(null);
  const { first, end, above, below, high } = useWindow(box, steps, setTold);
  const { tabbed, go, stay, press } = useStepAt(box, {
    count: steps.held,
    shown: { first, end },
    high,
    others: { e: (from) => void nextError(from) },
  });
  const nextError = useNextError(steps, go, setTold);
  const items = Array.from({ length: end - first }, (_, i) => first + i);
  return (
    <>
      <div class="steps-box" ref={box} onKeyDown={press} role="presentation">
        <ol
          class={high === STEP_HEIGHT ? "steps" : "steps stacked"}
          aria-label={`Steps of ${bracketed(name.text)}`}
          style={{ marginTop: `${above}px`, marginBottom: `${below}px` }}
        >
          <StepItems
            groups={stepGroups(items, steps)}
            {...{ steps, tabbed, opened }}
            side={high === STEP_HEIGHT ? null : name.text}
            open={(place) => {
              stay(place);
              setOpened(place === opened ? null : place);
            }}
          />
        </ol>
      </div>
      <p class="unseen" role="status">
        {framed(told)}
      </p>
      {opened === null ? null : <StepTexts key={opened} name={name} steps={steps} place={opened} />}
    </>
  );
}

/** The steps around what is seen of a box, which are asked for. */
function useWindow(
  box: { readonly current: HTMLElement | null },
  steps: TrialSteps,
  setTold: (told: string) => void,
) {
  const { top, height, width } = useScrolled(box, steps, STEPS_HIGHEST);
  const high = width < STACKED_BELOW ? STACKED_STEP_HEIGHT : STEP_HEIGHT;
  const shown = rowWindow(steps.held, top, height, high);
  const [, setVersion] = useState(0);
  useNeeded(
    steps,
    shown,
    () => setVersion((last) => last + 1),
    (error) => setTold(error.message),
  );
  return { ...shown, high };
}

/** Leads to the next step that failed, and says it. */
function useNextError(
  steps: TrialSteps,
  go: (place: number) => void,
  setTold: (told: string) => void,
): (from: { readonly line: number; readonly times: number }) => Promise<void> {
  const [control] = useState(() => new AbortController());
  useEffect(() => () => control.abort(), []);
  return async ({ line, times }) => {
    const { signal } = control;
    try {
      const places = await steps.errors(signal);
      const place = places.find((one) => one > line || (one === 0 && times === 0));
      if (place === undefined) return setTold("No further error.");
      await steps.need(place, place + 1, signal);
      const step = steps.at(place);
      go(place);
      if (step !== undefined) setTold([`Step ${step.step ?? "in a frame"}`, ...stepMarks(step)].join(", "));
    } catch (error) {
      if (!signal.aborted) setTold(asError(error).message);
    }
  };
}
