import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { comparisonsIn, type Shown } from "../../model/shown.ts";
import { meanOf, statsOf, toldScore, type Score } from "../../model/scores.ts";
import { countText, meanText } from "../../words/figures.ts";
import { standingOf } from "../../words/standings.ts";
import { Name } from "../name.tsx";
import { Section, Wide } from "../section.tsx";
import { Mark } from "../verdict.tsx";

/** How many dimensions are shown at once. */
const MOST_SHOWN = 30;

/** Evaluations by dimensions. */
export function AllScoresPart({ shown }: { readonly shown: Shown }): VNode {
  const [search, setSearch] = useState("");
  const { scores } = shown;
  const found = scores.filter(({ name }) => name.toLowerCase().includes(search.toLowerCase()));
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
      <Wide label="All scores">
        <table aria-label="All scores">
          <thead>
            <tr>
              <th scope="col">Evaluation</th>
              {visible.map(({ name }) => (
                <th key={name} scope="col" class="figure">
                  <Name text={name} />
                </th>
              ))}
            </tr>
          </thead>
          <Lines shown={shown} visible={visible} />
        </table>
      </Wide>
    </Section>
  );
}

function Lines({ shown, visible }: { readonly shown: Shown; readonly visible: readonly Score[] }): VNode {
  const { answers, evaluations } = shown;
  const columns = visible.map((score) => ({
    score,
    told: toldScore(score, answers),
    stats: statsOf(answers.summary, score),
    comparisons: comparisonsIn(answers, score.name),
  }));
  return (
    <tbody>
      {evaluations.map(({ name, isBaseline }) => (
        <tr key={name.id} {...(isBaseline && evaluations.length > 1 ? { class: "baseline" } : {})}>
          <th scope="row" class="name">
            <Name {...name} />
          </th>
          {columns.map(({ score, told, stats, comparisons }) => {
            const comparison = comparisons.get(name.id);
            return (
              <td key={score.name} class="figure">
                {comparison === undefined ? null : <Mark standing={standingOf(comparison)} score={told} />}{" "}
                {meanText(meanOf(stats.get(name.id)), told.value_type)}
              </td>
            );
          })}
        </tr>
      ))}
    </tbody>
  );
}
