import type { ComponentChildren, VNode } from "preact";
import type { EvaluationTools, ToolsAnswer } from "../../../respond/steps/tools-answer.ts";
import type { ToolStats } from "../../../respond/steps/tools.ts";
import type { StopReason } from "../../../respond/summary/stop-reasons.ts";
import { cutMiddle } from "../../../words/cut-text.ts";
import { counted, countText, differenceText, meanText, outOf } from "../../../words/figures.ts";
import { differenceSentences, toolCount, toolSentences } from "../../../words/steps.ts";
import type { Shown, ShownEvaluation } from "../../model/shown.ts";
import {
  insteadLines,
  partedLines,
  steppedSides,
  stoppedLines,
  toolLines,
  type BesideLines,
  type Instead,
  type PartedAt,
  type SteppedSide,
} from "../../model/stepped.ts";
import { framed, Name } from "../name.tsx";
import type { LatestActions } from "../page-actions.ts";
import { Prose, Section } from "../section.tsx";
import { figures, names, rowButtons, Table, type Column } from "../table.tsx";

interface StepsProps {
  readonly shown: Shown;
  readonly candidate: ShownEvaluation | null;
  readonly latest: LatestActions;
}

/** What agents did in the trials of the baseline and the candidate; nothing where no trial of the page has a step. */
export function StepsPart({ shown, candidate, latest }: StepsProps): VNode | null {
  const { steps } = shown.answers;
  if (steps === undefined) return null;
  const sides = steppedSides(
    steps,
    [shown.baseline, candidate].flatMap((one) => one?.name ?? []),
  );
  return (
    <Section kind="steps" title="Steps">
      <Sentences sides={sides} sentencesOf={({ tools }) => sentencesOf(steps.tools, tools)} />
      <ToolsTable answer={steps.tools} sides={sides} />
      <StoppedTable sides={sides} latest={latest} />
      <DifferenceTable sides={sides} />
      {steps.left_out === 0 ? null : (
        <p class="hint">The steps of {counted(steps.left_out, "further evaluation")} are not told.</p>
      )}
    </Section>
  );
}

function sentencesOf(answer: ToolsAnswer, tools: EvaluationTools): readonly string[] {
  const own = { ...answer, evaluations: [tools] };
  const sentences = toolSentences(own);
  return sentences.length === 0 ? [toolCount([tools])] : sentences;
}

interface SentencesProps {
  readonly sides: readonly SteppedSide[];
  readonly sentencesOf: (side: SteppedSide) => readonly string[];
}

/** What is said of each evaluation, with its name where there are two. */
function Sentences({ sides, sentencesOf: of }: SentencesProps): VNode {
  return (
    <>
      {sides.map((side) =>
        of(side).map((sentence, i) => (
          <p key={`${side.name.id} ${i}`}>
            {sides.length > 1 && i === 0 ? <Of {...side} /> : null}
            {framed(sentence)}
          </p>
        )),
      )}
    </>
  );
}

function Of({ name }: SteppedSide): VNode {
  return (
    <>
      <Name {...name} />:{" "}
    </>
  );
}

/** A column for each evaluation, with its name where there are two. */
function beside<Line>(
  sides: readonly SteppedSide[],
  head: string,
  cell: (line: Line, side: SteppedSide) => ComponentChildren,
): Column<Line>[] {
  return sides.map((side) =>
    figures(
      (line: Line) => cell(line, side),
      sides.length === 1 ? (
        head
      ) : (
        <>
          {head} <Name {...side.name} />
        </>
      ),
    ),
  );
}

const LONGEST_NAME = 60;

/** Names of tools and reasons are one line. */
function named(name: string): { readonly text: string; readonly full: string } {
  return { text: cutMiddle(name, LONGEST_NAME), full: name };
}

const NONE = "–";

/** The columns of a tool; those of one that an evaluation never called are empty but for the first. */
const OF_TOOL: readonly (readonly [head: string, cell: (tool: ToolStats) => string])[] = [
  ["Calls", ({ calls }) => countText(calls)],
  ["Errors", ({ errors }) => (errors === null ? NONE : countText(errors))],
  ["Error rate", (tool) => meanText(tool.error_rate, "binary")],
  ["Passed with an error", ({ with_error: { passed, trials } }) => outOf(passed, trials)],
  ["Passed without", ({ without_error: { passed, trials } }) => outOf(passed, trials)],
  ["Difference", ({ difference }) => differenceText(difference, "binary")],
  ["Verdict", (tool) => (tool.p_value === null ? "too few rows to tell" : VERDICTS[tool.association])],
];

const VERDICTS: Readonly<Record<ToolStats["association"], string>> = {
  lower: "goes with less success",
  higher: "goes with more success",
  not_shown: "not shown to go with success",
};

interface ToolsTableProps {
  readonly answer: ToolsAnswer;
  readonly sides: readonly SteppedSide[];
}

function ToolsTable({ answer: { success }, sides }: ToolsTableProps): VNode {
  const { lines, of, left } = toolLines(sides);
  const columns = OF_TOOL.flatMap(([head, cell], i) =>
    beside(sides, head, (name: string, side) => {
      const tool = of(name, side);
      if (tool !== undefined) return cell(tool);
      return i === 0 ? countText(0) : NONE;
    }),
  );
  return (
    <>
      <Prose more="Without: trials that called the tool, and no call failed. Harder rows can have both.">
        {success === null ? (
          "No score says which trials passed."
        ) : (
          <>
            Passed: true or 1 in <Name text={success} />.
          </>
        )}
      </Prose>
      <Table
        label="Tools"
        columns={[names(named, "Tool"), ...columns]}
        lines={lines}
        keyOf={(name) => name}
      />
      <More sides={sides} left={left} />
    </>
  );
}

interface MoreProps {
  readonly sides: readonly SteppedSide[];
  readonly left: (side: SteppedSide) => number;
}

/** How many lines of each evaluation are not shown. */
function More({ sides, left }: MoreProps): VNode {
  return (
    <>
      {sides.map((side) =>
        left(side) === 0 ? null : (
          <p key={side.name.id} class="hint">
            {sides.length > 1 ? <Of {...side} /> : null}
            {countText(left(side))} more
          </p>
        ),
      )}
    </>
  );
}

const NO_REASON = "(none told)";

const OF_REASON: readonly (readonly [head: string, member: Exclude<keyof StopReason, "reason">])[] = [
  ["Trials", "count"],
  ["Passed", "passed"],
  ["Failed", "failed"],
  ["No value", "no_value"],
];

interface StoppedTableProps extends Pick<StepsProps, "latest"> {
  readonly sides: readonly SteppedSide[];
}

/** Why trials stopped, with what shows the rows of a reason; nothing where no trial says it. */
function StoppedTable({ sides, latest }: StoppedTableProps): VNode | null {
  const { lines, of, left } = stoppedLines(sides);
  if (lines.length === 0) return null;
  const add = latest.current?.view?.addFilters;
  const press = ({ reason }: StopReason) =>
    reason === null
      ? null
      : () => add?.([{ query: { $expr: { $eq: [{ $getField: "stop_reason" }, { $literal: reason }] } } }]);
  const figure = (member: (typeof OF_REASON)[number][1]) => (line: StopReason, side: SteppedSide) => {
    const own = of(line, side);
    const count = own === undefined ? 0 : own[member];
    return count === null ? NONE : countText(count);
  };
  return (
    <>
      <Table
        label="Stop reasons"
        columns={[
          names(({ reason }: StopReason) => named(reason ?? NO_REASON), "Reason"),
          ...OF_REASON.flatMap(([head, member]) => beside(sides, head, figure(member))),
          ...rowButtons(add && press, ({ reason }) => reason ?? NO_REASON, "stopped by"),
        ]}
        lines={lines}
      />
      <More sides={sides} left={left} />
      <Sentences
        sides={sides}
        sentencesOf={({ stopped }) => {
          const others = stopped?.other_stop_reason_count ?? 0;
          return others === 0 ? [] : [`${counted(others, "trial")} of further reasons.`];
        }}
      />
    </>
  );
}

/** Where failing attempts leave passing ones; nothing where no row has both. */
function DifferenceTable({ sides }: Pick<ToolsTableProps, "sides">): VNode | null {
  if (sides.every(({ difference }) => (difference?.pair_count ?? 0) === 0)) return null;
  return (
    <>
      <Sentences
        sides={sides}
        sentencesOf={({ difference: own }) => (own === undefined ? [] : differenceSentences(own).slice(0, 1))}
      />
      <CountedLines
        sides={sides}
        label="First difference"
        heads={[
          names((line: Instead) => named(line.name ?? STOPS), "Failing attempt"),
          { head: "Passing attempt", cell: (line) => <Name {...named(line.other_name ?? STOPS)} /> },
        ]}
        found={insteadLines(sides)}
      />
      <CountedLines
        sides={sides}
        label="Call of the first difference"
        heads={[names(({ index }: PartedAt) => named(countText(index)), "Call")]}
        found={partedLines(sides)}
      />
    </>
  );
}

const STOPS = "(stops)";

interface CountedLinesProps<Line> {
  readonly sides: readonly SteppedSide[];
  readonly label: string;
  readonly heads: readonly Column<Line>[];
  readonly found: BesideLines<Line, Line>;
}

/** Lines of which each evaluation has a number of trials and of rows; nothing where there is none. */
function CountedLines<Line extends Record<"trials" | "rows", number>>({
  sides,
  label,
  heads,
  found: { lines, of, left },
}: CountedLinesProps<Line>): VNode | null {
  if (lines.length === 0) return null;
  const count = (member: "trials" | "rows") => (line: Line, side: SteppedSide) =>
    countText(of(line, side)?.[member] ?? 0);
  return (
    <>
      <Table
        label={label}
        columns={[
          ...heads,
          ...beside(sides, "Trials", count("trials")),
          ...beside(sides, "Rows", count("rows")),
        ]}
        lines={lines}
      />
      <More sides={sides} left={left} />
    </>
  );
}
