import type { VNode } from "preact";
import type { ShownStep } from "../../respond/steps/trial.ts";
import { cutMiddle } from "../../words/cut-text.ts";
import { countText } from "../../words/figures.ts";
import { stepMarks, stepName, stepTokens } from "../../words/step-words.ts";
import { bracketed, framed } from "../parts/name.tsx";
import { shortNumber } from "../rows/readable.ts";
import type { TrialSteps } from "../rows/trial-steps.ts";

/** A place in a list of steps, and of a frame the places in it. */
interface StepGroup {
  readonly place: number;
  readonly inside: StepGroup[];
}

/** Places that follow each other, those below a frame inside of it. */
export function stepGroups(places: readonly number[], steps: Pick<TrialSteps, "at">): StepGroup[] {
  const all: StepGroup[] = [];
  const frames: { readonly depth: number; readonly inside: StepGroup[] }[] = [];
  for (const place of places) {
    const step = steps.at(place);
    const depth = step?.depth ?? Infinity;
    while ((frames.at(-1)?.depth ?? -1) >= depth) frames.pop();
    const group: StepGroup = { place, inside: [] };
    (frames.at(-1)?.inside ?? all).push(group);
    if (step !== undefined && step.step === null) frames.push({ depth, inside: group.inside });
  }
  return all;
}

interface StepItemsProps {
  readonly groups: readonly StepGroup[];
  readonly steps: TrialSteps;
  /** The place that the tabulator reaches. */
  readonly tabbed: number;
  /** The place whose texts are shown. */
  readonly opened: number | null;
  readonly open: (place: number) => void;
  /** Whose steps these are, where lists stand under each other. */
  readonly side: string | null;
}

/** Steps as items of a list; a frame is a group of those in it. */
export function StepItems(props: StepItemsProps): VNode {
  const { groups, steps } = props;
  return (
    <>
      {groups.map(({ place, inside }) => {
        const step = steps.at(place);
        return (
          <li key={place} aria-posinset={place + 1} aria-setsize={steps.step_count}>
            <StepButton
              line={place}
              step={step}
              side={props.side}
              tabbed={place === props.tabbed}
              opened={place === props.opened}
              open={() => props.open(place)}
            />
            {step?.step !== null ? null : (
              <div role="group" aria-label={bracketed(stepName(step), LONGEST_NAME)}>
                {inside.length === 0 ? null : (
                  <ol>
                    <StepItems {...props} groups={inside} />
                  </ol>
                )}
              </div>
            )}
          </li>
        );
      })}
    </>
  );
}

const LONGEST_NAME = 60;
const LONGEST_MARK = 120;

interface StepButtonProps {
  /** Its place in the list. */
  readonly line: number;
  /** Undefined while it is not there. */
  readonly step: ShownStep | undefined;
  /** Whether nothing stands on the line; default false. */
  readonly isGap?: boolean;
  /** What is said of the line; default nothing. */
  readonly mark?: string | null;
  readonly side: string | null;
  readonly tabbed: boolean;
  readonly opened: boolean;
  readonly open: () => unknown;
}

/** A step in one line. */
export function StepButton(props: StepButtonProps): VNode {
  const { line, step, isGap = false, mark = null, side, tabbed, opened, open } = props;
  const name = step === undefined ? (isGap ? "–" : "…") : stepName(step);
  return (
    <button
      type="button"
      data-step={line}
      class={step === undefined || step.step !== null ? "step" : "step frame"}
      tabIndex={tabbed ? 0 : -1}
      aria-disabled={isGap}
      aria-expanded={isGap ? undefined : opened}
      title={bracketed(name)}
      onClick={open}
    >
      <span class="step-number">{step?.step == null ? "" : countText(step.step)}</span>{" "}
      <span class="step-name">
        <bdi>{framed(cutMiddle(name, LONGEST_NAME))}</bdi>
      </span>{" "}
      {mark === null ? null : <strong class="step-mark">{mark} </strong>}
      {step === undefined ? null : <StepFacts {...step} />}
      {side === null ? null : <span class="step-side">{framed(cutMiddle(side, LONGEST_NAME))}</span>}
    </button>
  );
}

function StepFacts(step: ShownStep): VNode {
  const { input, duration_seconds: seconds } = step;
  const tokens = stepTokens(step);
  return (
    <>
      {stepMarks(step).map((mark) => (
        <span key={mark} class={step.error_type === null ? "step-mark" : "step-mark failed"}>
          {framed(cutMiddle(mark, LONGEST_MARK))}{" "}
        </span>
      ))}
      <span class="step-input">{typeof input === "string" ? <bdi>{framed(input)}</bdi> : null}</span>{" "}
      <span class="step-figure">{seconds === null ? "" : `${shortNumber(seconds)} s`}</span>{" "}
      <span class="step-figure">{tokens}</span>
    </>
  );
}
