import type { VNode } from "preact";
import type { Answers } from "../model/answers.ts";
import { latestShown } from "../model/latest.ts";
import { shownNames } from "../model/page-names.ts";
import { shortNames } from "../../words/names.ts";
import { Choice } from "./choice.tsx";
import type { ViewActions } from "./page-actions.ts";

interface RunsChoiceProps {
  readonly answers: Answers;
  readonly view: ViewActions;
}

const WAYS = [
  ["latest", "Latest two"],
  ["names", "One per name"],
  ["all", "All"],
  ["chosen", "Chosen"],
] as const;

/** Which runs are shown; of the latest two, whose. */
export function RunsChoice({ answers, view }: RunsChoiceProps): VNode {
  const { runs, latest } = answers;
  return (
    <>
      <div class="field">
        <span aria-hidden="true">Runs</span>
        <div role="radiogroup" aria-label="Runs" class="ways">
          {WAYS.map(([way, text]) => (
            <label key={way} class="check">
              <input
                type="radio"
                name="runs"
                checked={way === view.runs}
                onChange={() => view.chooseRuns(way)}
              />
              {text}
            </label>
          ))}
        </div>
      </div>
      {runs !== "latest" || latest.length < 2 ? null : (
        <Choice
          label="Name"
          value={latestShown(answers)?.name ?? ""}
          options={namesIn(answers)}
          choose={view.chooseName}
        />
      )}
    </>
  );
}

function namesIn(answers: Answers): (readonly [string, string])[] {
  const shown = shownNames(answers);
  const names = answers.latest.map(({ name }) => name);
  const short = shortNames(names.map((name) => shown.get(name) ?? name));
  return names.map((name, i) => [name, short[i] ?? name]);
}
