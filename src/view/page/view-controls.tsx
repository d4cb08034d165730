import type { VNode } from "preact";
import type { Answers } from "../model/answers.ts";
import { pageNames } from "../model/page-names.ts";
import { Choice } from "../parts/choice.tsx";
import { EvaluationBoxes } from "../parts/evaluation-boxes.tsx";
import type { ViewActions } from "../parts/page-actions.ts";
import { Popover } from "../parts/popover.tsx";
import { RunsChoice } from "../parts/runs-choice.tsx";

interface ViewControlsProps {
  readonly answers: Answers;
  readonly view: ViewActions;
}

const DETAILS = "output.details.";

/** What only the view lets choose: it can ask again. */
export function ViewControls({ answers, view }: ViewControlsProps): VNode {
  const chosen = view.by.join(" and ");
  const named = [...new Set(["nothing", ...view.fields, chosen])].filter((one) => one !== "");
  const optionsOf = (isOfTrials: boolean) =>
    named.filter((one) => one.startsWith(DETAILS) === isOfTrials).map((one): [string, string] => [one, one]);
  return (
    <>
      <RunsChoice {...{ answers, view }} />
      <Choice
        label="Baseline"
        value={answers.baseline ?? ""}
        options={pageNames(answers).map(({ id, short }) => [id, short])}
        choose={view.chooseBaseline}
      />
      <Choice
        label="Group by"
        value={chosen}
        options={[["", "automatic"], ...optionsOf(false)]}
        below={{ heading: "Outcomes of trials, described", options: optionsOf(true) }}
        choose={(one) => view.chooseBy(one === "" ? [] : one === chosen ? view.by : [one])}
      />
      <Popover
        kind="evaluations"
        title="Evaluations"
        content={() => <EvaluationBoxes baseline={answers.baseline} view={view} />}
      />
    </>
  );
}
