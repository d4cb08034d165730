import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { EvaluationName } from "../../words/names.ts";
import { stepMarks } from "../../words/step-words.ts";
import { bracketed, framed } from "../parts/name.tsx";
import { rowWindow, scrollTo } from "../row-parts/row-window.ts";
import { asError } from "../row-parts/use-asked.ts";
import { useNeeded, useScrolled } from "../row-parts/use-scrolled.ts";
import type { TrialSteps } from "../rows/trial-steps.ts";
import { stepGroups, StepItems } from "./step-item.tsx";
import { StepTexts } from "./step-texts.tsx";

interface StepsListProps {
  readonly name: EvaluationName;
  readonly steps: TrialSteps;
}

/** Pixels of a step, and of the list at most; the style says the same. */
const HEIGHT = 32;
const STACKED_HEIGHT = 64;
const STACKED_BELOW = 480;
const HIGHEST = 380;

/** The steps and frames of a trial in a box that scrolls; of many those that are seen, and a few around them. */
export function StepsList({ name, steps }: StepsListProps): VNode {
  const box = useRef<HTMLDivElement>(null);
  const [told, setTold] = useState("");
  const [at, setAt] = useState({ place: 0, times: 0 });
  const [opened, setOpened] = useState<number | null>(null);
  const { first, end, above, below, high } = useWindow(box, steps, setTold);
  useFocusedStep(box, steps.held, at, high);
  const go = (place: number) =>
    setAt(({ times }) => ({ place: Math.max(0, Math.min(steps.held - 1, place)), times: times + 1 }));
  const press = useListKeys({ steps, at, go, setTold });
  const items = Array.from({ length: end - first }, (_, i) => first + i);
  const tabbed = at.place >= first && at.place < end ? at.place : first;
  return (
    <>
      <div class="steps-box" ref={box} onKeyDown={press} role="presentation">
        <ol
          class={high === HEIGHT ? "steps" : "steps stacked"}
          aria-label={`Steps of ${bracketed(name.text)}`}
          style={{ marginTop: `${above}px`, marginBottom: `${below}px` }}
        >
          <StepItems
            groups={stepGroups(items, steps)}
            {...{ steps, tabbed, opened }}
            open={(place) => {
              setAt({ place, times: 0 });
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
  const { top, height, width } = useScrolled(box, steps, HIGHEST);
  const high = width < STACKED_BELOW ? STACKED_HEIGHT : HEIGHT;
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

interface ListKeys {
  readonly steps: TrialSteps;
  readonly at: { readonly place: number; readonly times: number };
  readonly go: (place: number) => void;
  readonly setTold: (told: string) => void;
}

/** What keys do where a step has the focus. */
function useListKeys({ steps, at, go, setTold }: ListKeys): (event: KeyboardEvent) => void {
  const [control] = useState(() => new AbortController());
  useEffect(() => () => control.abort(), []);
  const nextError = async () => {
    const { signal } = control;
    try {
      const place = (await steps.errors(signal)).find(
        (one) => one > at.place || (one === 0 && at.times === 0),
      );
      if (place === undefined) return setTold("No further error.");
      await steps.need(place, place + 1, signal);
      const step = steps.at(place);
      go(place);
      if (step !== undefined) setTold([`Step ${step.step ?? "in a frame"}`, ...stepMarks(step)].join(", "));
    } catch (error) {
      if (!signal.aborted) setTold(asError(error).message);
    }
  };
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => go(at.place + 1),
    ArrowUp: () => go(at.place - 1),
    Home: () => go(0),
    End: () => go(steps.held - 1),
    e: () => void nextError(),
  };
  return (event) => {
    const { key, ctrlKey, metaKey, altKey } = event;
    const act = Object.hasOwn(keys, key) ? keys[key] : undefined;
    if (act === undefined || ctrlKey || metaKey || altKey) return;
    event.preventDefault();
    act();
  };
}

/** Scrolls to a step and gives it the focus, when it is sent for. */
function useFocusedStep(
  box: { readonly current: HTMLElement | null },
  count: number,
  { place, times }: ListKeys["at"],
  high: number,
): void {
  useEffect(() => {
    const element = box.current;
    if (times === 0 || element === null) return undefined;
    const top = scrollTo(count, place, element.scrollTop, element.clientHeight, high);
    if (top !== null) element.scrollTo({ top });
    const frame = requestAnimationFrame(() => {
      element.querySelector<HTMLElement>(`[data-step="${place}"]`)?.focus({ preventScroll: true });
    });
    return () => cancelAnimationFrame(frame);
  }, [place, times]);
}
