import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { byStart } from "../model/runs.ts";
import { counted, countText } from "../../words/figures.ts";
import { evaluationNames } from "../../words/names.ts";
import { Name } from "./name.tsx";
import type { ViewActions } from "./page-actions.ts";

interface EvaluationBoxesProps {
  readonly baseline: string | null;
  readonly view: ViewActions;
}

/** Beyond so many evaluations there are buttons, so that a few of them do not take a click for each of the others. */
const FEW = 12;

/** All evaluations of the project, the latest first, of which some can be ticked. */
export function EvaluationBoxes({ baseline, view }: EvaluationBoxesProps): VNode {
  const { allEvaluations, chooseEvaluations: choose, chosenEvaluations: chosen } = view;
  const [search, setSearch] = useState("");
  const all = evaluationNames(byStart(allEvaluations).toReversed());
  const wanted = search.trim().toLowerCase();
  const found = all.filter(({ text, full }) => `${text}\n${full}`.toLowerCase().includes(wanted));
  const turned = (id: string, on: boolean) =>
    allEvaluations.map((one) => one.id).filter((one) => (one === id ? on : chosen.includes(one)));
  return (
    <fieldset>
      <legend class="unseen">Evaluations</legend>
      {all.length <= FEW ? null : <Few {...{ baseline, view }} />}
      <label class="field">
        <span>Search evaluations</span>
        <input type="search" value={search} onInput={(event) => setSearch(event.currentTarget.value)} />
      </label>
      <p role="status" class="hint">
        {found.length < all.length ? `${countText(found.length)} of ` : ""}
        {counted(all.length, "evaluation")}
      </p>
      <div class="boxes">
        {found.map(({ id, text, full }) => (
          <label key={id} class="check">
            <input
              type="checkbox"
              checked={chosen.includes(id)}
              onChange={(event) => choose(turned(id, event.currentTarget.checked))}
            />
            <Name text={text} full={full} />
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function Few({ baseline, view: { chooseRuns, chooseEvaluations: choose } }: EvaluationBoxesProps): VNode {
  return (
    <div class="few">
      <button type="button" onClick={() => chooseRuns("all")}>
        All evaluations
      </button>
      {baseline === null ? null : (
        <button type="button" onClick={() => choose([baseline])}>
          Only the baseline
        </button>
      )}
    </div>
  );
}
