import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { comparisonsIn, type Shown, type ShownEvaluation } from "../../model/shown.ts";
import { meanOf, statsOf } from "../../model/scores.ts";
import type { Score } from "../../../words/score.ts";
import { countText, meanText } from "../../../words/figures.ts";
import { standingOf } from "../../../words/standings.ts";
import { Name } from "../name.tsx";
import { Section } from "../section.tsx";
import { figures, names, Table, type Column } from "../table.tsx";
import { Mark } from "../verdict.tsx";

/** How many dimensions are shown at once. */
const MOST_SHOWN = 30;

/** Evaluations by dimensions. */
export function AllScoresPart({ shown }: { readonly shown: Shown }): VNode {
  const [search, setSearch] = useState("");
  const { scores } = shown;
  const found = scores.filter(({ key }) => key.toLowerCase().includes(search.toLowerCase()));
  const visible = found.slice(0, MOST_SHOWN);
  return (
    <Section kind="all-scores" title="All scores">
      {scores.length <= MOST_SHOWN ? null : (
        <div class="find">
          <label class="field">
            <span>Find a score</span>
            <input type="search" value={search} onInput={(event) => setSearch(event.currentTarget.value)} />
          </label>
          <p role="status" class="hint">
            {countText(visible.length)} of {countText(scores.length)} scores
          </p>
        </div>
      )}
      <Table
        label="All scores"
        columns={[
          names(({ name }: ShownEvaluation) => name),
          ...visible.map((score) => columnOf(score, shown)),
        ]}
        lines={shown.evaluations}
        keyOf={({ name }) => name.id}
        isBaseline={({ isBaseline }) => isBaseline && shown.evaluations.length > 1}
      />
    </Section>
  );
}

/** Means in one score, with what is shown against the baseline. */
function columnOf(score: Score, { answers }: Shown): Column<ShownEvaluation> {
  const stats = statsOf(answers.summary, score);
  const comparisons = comparisonsIn(answers, score.key);
  const cell = ({ name: { id } }: ShownEvaluation) => {
    const comparison = comparisons.get(id);
    return (
      <>
        {comparison === undefined ? null : <Mark standing={standingOf(comparison)} score={score} />}{" "}
        {meanText(meanOf(stats.get(id)), score.value_type)}
      </>
    );
  };
  return figures(cell, <Name text={score.key} />);
}
