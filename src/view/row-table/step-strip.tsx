import type { VNode } from "preact";
import { bracketed } from "../parts/name.tsx";
import { useAsked } from "../row-parts/use-asked.ts";
import type { RowLine, RowSource } from "../rows/row-source.ts";
import { countText } from "../../words/figures.ts";
import { trialWords } from "../../words/step-words.ts";

interface StepStripProps {
  readonly line: RowLine | undefined;
  /** The place of the evaluation whose first trial it is of. */
  readonly of: number;
  readonly source: RowSource | null;
}

const MOST_CELLS = 60;
const LONGEST_LABEL = 200;
/** Pixels of a cell, and of the picture. */
const CELL = 3;
const HEIGHT = 18;

/** What stands for a step: a low bar for a model, a high one for a tool, one above the line for an agent. */
const FORMS = { chat: [12, 5], execute_tool: [6, 11], invoke_agent: [6, 5] } as const;
const FAILED = [1, 3] as const;

/** What a trial did as a picture: a cell a step, its form by what it is, a square above of one that failed. */
export function StepStrip({ line, of, source }: StepStripProps): VNode | null {
  const [digest, id] = [line?.digest, line?.firsts[of]];
  const ask =
    source === null || digest === undefined || id === undefined
      ? null
      : (signal: AbortSignal) => source.strip({ digest, evaluation: of, trial: 0, id }, signal);
  const { answer, asking, error } = useAsked(ask, [source, digest, of, id]);
  if (ask === null || asking || error !== null || answer === null || answer.step_count === 0) return null;
  const there = answer.steps.filter(({ step }) => step !== null);
  const steps = there.slice(0, MOST_CELLS);
  const { chats, tools } = answer.counts;
  const more = Math.max(there.length, (chats ?? 0) + (tools ?? 0)) - steps.length;
  const width = steps.length * CELL;
  const words = bracketed(trialWords(answer), LONGEST_LABEL);
  return (
    <span class="strip" role="img" aria-label={words} title={words}>
      <svg width={width} height={HEIGHT} aria-hidden="true">
        <path d={steps.map(({ operation }, i) => bar(i, FORMS[operation])).join("")} />
        <path
          class="failed"
          d={steps.map(({ error_type: type }, i) => (type === null ? "" : bar(i, FAILED))).join("")}
        />
      </svg>
      {more > 0 ? `+${countText(more)}` : null}
    </span>
  );
}

function bar(place: number, [top, height]: readonly [number, number]): string {
  return `M${place * CELL} ${top}h${CELL - 1}v${height}h${1 - CELL}z`;
}
