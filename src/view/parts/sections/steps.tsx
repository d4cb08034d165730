import type { VNode } from "preact";
import type { EvaluationTools, ToolsAnswer } from "../../../respond/steps/tools-answer.ts";
import type { ToolStats } from "../../../respond/steps/tools.ts";
import type { StopReason } from "../../../respond/summary/stop-reasons.ts";
import { counted, countText, differenceText, meanText, outOf } from "../../../words/figures.ts";
import { toolCount, toolSentences } from "../../../words/steps.ts";
import type { Shown, ShownEvaluation } from "../../model/shown.ts";
import { steppedSides, stoppedLines, toolLines, type SteppedSide } from "../../model/stepped.ts";
import type { LatestActions } from "../page-actions.ts";
import { Prose, Section } from "../section.tsx";
import { names, rowButtons, Table } from "../table.tsx";
import { Name } from "../name.tsx";
import { beside, More, shortName, Sentences } from "./beside-sides.tsx";
import { DifferenceTable } from "./first-difference.tsx";

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
        columns={[names(shortName, "Tool"), ...columns]}
        lines={lines}
        keyOf={(name) => name}
      />
      <More sides={sides} left={left} />
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
          names(({ reason }: StopReason) => shortName(reason ?? NO_REASON), "Reason"),
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
