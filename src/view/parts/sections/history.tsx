import type { VNode } from "preact";
import { pointsOf } from "../../model/runs-over-time.ts";
import type { Answers } from "../../answers.ts";
import { Glyph } from "../../plots/glyph.tsx";
import { HistoryPlot } from "../../plots/history-plot.tsx";
import { historyCells, historySentence } from "../../words/history.ts";
import { bracketed, framed } from "../name.tsx";
import type { LatestActions } from "../page-actions.ts";
import { Section, Wide } from "../section.tsx";
import { SentenceText } from "../sentence-text.tsx";

interface HistoryProps {
  readonly answers: Answers;
  /** Id of the evaluation whose name the runs have. */
  readonly candidate: string | undefined;
  readonly latest: LatestActions;
}

const HEADS = [
  ["commit", "Commit"],
  ["branch", "Branch"],
  ["rows", "Rows"],
  ["mean", "Mean"],
  ["run before", "Against the run before"],
  ["best", "Against the best"],
] as const;

/** The runs of one name, and since when they are worse; nothing where there are less than two. */
export function HistoryPart({ answers, candidate, latest }: HistoryProps): VNode | null {
  const { evaluations, histories, scorers, lowerIsBetter, higherIsBetter, baseline } = answers;
  const called = evaluations.find(({ id }) => id === candidate)?.display_name;
  const history = histories.find(({ name }) => name === called);
  if (history === undefined || history.entries.length < 2) return null;
  const naming = { scorers, lower_is_better: lowerIsBetter, higher_is_better: higherIsBetter };
  const choose = latest.current?.chooseBaseline;
  return (
    <Section kind="history" title="History">
      <p>
        <SentenceText sentence={historySentence(history, naming)} />
      </p>
      <HistoryPlot points={pointsOf(history, naming)} />
      <Wide label="History">
        <table aria-label="History">
          <thead>
            <tr>
              <th scope="col">Run</th>
              {HEADS.map(([member, head]) => (
                <th key={member} scope="col">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {history.entries.map((entry) => (
              <Line
                key={entry.evaluation_call_id}
                id={entry.evaluation_call_id}
                cells={historyCells(history, entry, naming)}
                compare={entry.evaluation_call_id === baseline ? undefined : choose}
              />
            ))}
          </tbody>
        </table>
      </Wide>
    </Section>
  );
}

/** What few fonts have. */
const MARK = /([▲▼≈○◄])(?= )/u;

interface LineProps {
  readonly id: string;
  readonly cells: ReturnType<typeof historyCells>;
  readonly compare: ((id: string) => void) | undefined;
}

function Line({ id, cells, compare }: LineProps): VNode {
  return (
    <tr>
      <th scope="row" class="name" title={id}>
        <bdi>{framed(cells.run)}</bdi>{" "}
        {compare === undefined ? null : (
          <button type="button" class="small" onClick={() => compare(id)}>
            Compare<span class="unseen"> with {bracketed(cells.run, 60)}</span>
          </button>
        )}
      </th>
      {HEADS.map(([member]) => (
        <td key={member}>
          {cells[member]
            .split(MARK)
            .map((part, i) =>
              i % 2 === 1 ? <Glyph key={i} mark={part} /> : <bdi key={i}>{framed(part)}</bdi>,
            )}
        </td>
      ))}
    </tr>
  );
}
