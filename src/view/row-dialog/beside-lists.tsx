import type { VNode } from "preact";
import { useRef, useState } from "preact/hooks";
import type { EvaluationName } from "../../words/names.ts";
import { framed } from "../parts/name.tsx";
import { rowWindow } from "../row-parts/row-window.ts";
import { useMedia } from "../row-parts/use-media.ts";
import { useAsked } from "../row-parts/use-asked.ts";
import { useScrolled } from "../row-parts/use-scrolled.ts";
import { numberedSteps } from "../rows/numbered-steps.ts";
import type { BesideSteps } from "../rows/row-source.ts";
import type { TrialSteps } from "../rows/trial-steps.ts";
import { StepButton } from "./step-item.tsx";
import { StepTexts } from "./step-texts.tsx";
import { STACKED_STEP_HEIGHT, STEP_HEIGHT, STEPS_HIGHEST, useStepAt } from "./use-step-at.ts";

/** An attempt that stands beside others. */
interface BesideSide {
  readonly text: string;
  readonly name: EvaluationName;
  readonly steps: TrialSteps | undefined;
}

interface BesideListsProps {
  readonly sides: readonly BesideSide[];
  readonly lines: BesideSteps;
}

/** A narrower page has the lists under each other. */
const UNDER_EACH_OTHER = "(width < 700px)";

/** The calls of tools of attempts, equal ones on one line. */
export function BesideLists({ sides, lines }: BesideListsProps): VNode {
  const isNarrow = useMedia(UNDER_EACH_OTHER);
  const difference = differenceIn(lines);
  const all = sides.map((side, column) => ({ ...side, column }));
  return (
    <>
      {(isNarrow ? all.map((one) => [one]) : [all]).map((some, i) => (
        <BesideBox
          key={`${some.length} ${i}`}
          columns={some}
          {...{ lines: lines.lines, difference, isNarrow }}
        />
      ))}
    </>
  );
}

/** The line on which the first difference stands; null where all actions are equal. */
function differenceIn({ first_difference: first, common_actions: common }: BesideSteps): number | null {
  const differ = [first].flat().some((one) => one !== null);
  return differ ? [common].flat().reduce((least, one) => Math.min(least, one), Infinity) : null;
}

interface BesideBoxProps {
  /** The attempts of this box; `column` is the place of each in a line. */
  readonly columns: readonly (BesideSide & { readonly column: number })[];
  readonly lines: BesideSteps["lines"];
  readonly difference: number | null;
  readonly isNarrow: boolean;
}

function BesideBox({ columns, lines, difference, isNarrow }: BesideBoxProps): VNode {
  const box = useRef<HTMLDivElement>(null);
  const [opened, setOpened] = useState<Opened | null>(null);
  const isOpened = (of: number, place: number) => opened?.column === of && opened.place === place;
  const high = isNarrow ? STACKED_STEP_HEIGHT : STEP_HEIGHT;
  const { top, height } = useScrolled(box, lines, STEPS_HIGHEST);
  const { first, end, above, below } = rowWindow(lines.length, top, height, high);
  const { column, tabbed, go, stay, press } = useStepAt(box, {
    start: difference,
    count: lines.length,
    shown: { first, end },
    columns: columns.length,
    high,
    others: { d: difference === null ? undefined : () => go(difference) },
  });
  return (
    <>
      <div class="steps-box" ref={box} onKeyDown={press} role="presentation">
        <div
          class={isNarrow ? "beside-lists stacked" : "beside-lists"}
          style={{ marginTop: `${above}px`, marginBottom: `${below}px` }}
        >
          {columns.map((side, i) => (
            <BesideList
              key={side.column}
              {...{ side, lines, first, end, difference, isNarrow }}
              tabbed={i === column ? tabbed : null}
              isOpened={(place) => isOpened(side.column, place)}
              open={(line, place) => {
                stay(line, i);
                setOpened(isOpened(side.column, place) ? null : { column: side.column, place });
              }}
            />
          ))}
        </div>
      </div>
      {opened === null ? null : <OpenedStep {...{ columns, opened }} />}
    </>
  );
}

/** The step whose texts are shown. */
interface Opened {
  readonly column: number;
  readonly place: number;
}

function OpenedStep({ columns, opened }: Pick<BesideBoxProps, "columns"> & { readonly opened: Opened }) {
  const side = columns.find(({ column }) => column === opened.column);
  if (side?.steps === undefined) return null;
  const { name, steps } = side;
  return <StepTexts key={`${opened.column} ${opened.place}`} {...{ name, steps, place: opened.place }} />;
}

interface BesideListProps {
  readonly side: BesideBoxProps["columns"][number];
  readonly lines: BesideSteps["lines"];
  readonly first: number;
  readonly end: number;
  readonly difference: number | null;
  readonly isNarrow: boolean;
  /** The line that the tabulator reaches; null where it is in another list. */
  readonly tabbed: number | null;
  readonly isOpened: (place: number) => boolean;
  readonly open: (line: number, place: number) => void;
}

/** The steps of these numbers, of which some are null. */
function useNumbered(steps: TrialSteps | undefined, numbers: readonly (number | null)[]) {
  const there = numbers.filter((one) => one !== null);
  const [from, to] = [there[0], there.at(-1)];
  const isAsked = steps !== undefined && from !== undefined && to !== undefined;
  return useAsked(isAsked ? (signal) => numberedSteps(steps, from, to, signal) : null, [steps, from, to]);
}

function BesideList(props: BesideListProps): VNode {
  const { side, lines, first, end, difference, isNarrow, tabbed, isOpened, open } = props;
  const { steps, column, text } = side;
  const numbers = lines.slice(first, end).map((line) => line.steps[column] ?? null);
  const found = useNumbered(steps, numbers);
  return (
    <ol class="steps" aria-label={`Steps of ${text}`}>
      {numbers.map((number, i) => {
        const line = first + i;
        const step = number === null ? undefined : found.answer?.get(number);
        return (
          <li
            key={line}
            class={line === difference ? "difference" : undefined}
            aria-posinset={line + 1}
            aria-setsize={lines.length}
          >
            <StepButton
              {...{ line, step: step?.step, isGap: number === null }}
              mark={line === difference ? "First difference" : null}
              side={isNarrow ? text : null}
              tabbed={line === tabbed}
              opened={step !== undefined && isOpened(step.place)}
              open={() => step !== undefined && open(line, step.place)}
            />
          </li>
        );
      })}
      {found.error === null ? null : <li role="alert">{framed(found.error.message)}</li>}
    </ol>
  );
}
