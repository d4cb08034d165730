import type { VNode } from "preact";
import type { Answers } from "../../model/answers.ts";
import { historyOf } from "../../model/concluded.ts";
import { Glyph } from "../../plots/glyph.tsx";
import type { HistoryAnswer } from "../../../respond/history/history.ts";
import {
  HISTORY_HEADS,
  HISTORY_NOTE,
  historyCells,
  historyColumns,
  historyScore,
  historySentence,
} from "../../../words/history.ts";
import { standingOf, toneOf } from "../../../words/standings.ts";
import { bracketed, SentenceText, unbroken } from "../name.tsx";
import type { LatestActions } from "../page-actions.ts";
import { Section } from "../section.tsx";
import { Table } from "../table.tsx";
import { RunPlot, type RunPoint } from "../../plots/run-plot.tsx";
import { tickText } from "../tick-text.ts";

interface HistoryProps {
  readonly answers: Answers;
  /** Id of the evaluation whose name the runs have. */
  readonly candidate: string | undefined;
  readonly latest: LatestActions;
}

type Cells = ReturnType<typeof historyCells> & {
  readonly id: string;
  readonly changed: string | undefined;
};

/** The runs of one name, and since when they are worse; nothing where there are less than two. */
export function HistoryPart({ answers, candidate, latest }: HistoryProps): VNode | null {
  const { question: naming, baseline } = answers;
  const history = historyOf(answers, candidate);
  if (history === null) return null;
  const choose = latest.current?.view?.chooseBaseline;
  const compare = (id: string) => (choose === undefined || id === baseline ? null : () => choose(id));
  return (
    <Section kind="history" title="History">
      <p>
        <SentenceText sentence={historySentence(history, naming)} />
      </p>
      <RunPlot
        points={pointsOf(history, naming)}
        tickText={(tick) => tickText(tick, historyScore(history, naming)?.value_type ?? "continuous", "mean")}
      />
      <Table
        label="History"
        columns={[
          { head: "Run", kind: "name", cell: (line) => <Run {...line} compare={compare} /> },
          ...historyColumns(history)
            .filter((name) => name !== "run")
            .map((name) => ({ head: headOf(name), cell: (line: Cells) => marked(line[name]) })),
        ]}
        lines={history.entries.map((entry) => ({
          id: entry.evaluation_call_id,
          changed: entry.changes === null ? undefined : `Changed: ${entry.changes.text}`,
          ...historyCells(history, entry, naming),
        }))}
        keyOf={({ id }) => id}
        hintOf={({ changed }) => changed}
      />
      <p>{HISTORY_NOTE}</p>
    </Section>
  );
}

function headOf(name: ReturnType<typeof historyColumns>[number]): string {
  const head = HISTORY_HEADS[name] ?? name;
  return `${head.charAt(0).toUpperCase()}${head.slice(1)}`;
}

/** The runs of a history as points of a picture, in their order; those without a value are left out. */
function pointsOf(history: HistoryAnswer, naming: Parameters<typeof historyCells>[2]): RunPoint[] {
  const score = historyScore(history, naming);
  if (score === null) return [];
  return history.entries.flatMap((entry): RunPoint[] => {
    const own = entry.scores[history.headline ?? 0];
    if (own?.row_mean == null) return [];
    const { against_reference: against } = entry;
    const { mean, reference } = historyCells(history, entry, naming);
    return [
      {
        value: own.row_mean,
        interval: own.confidence_interval ?? null,
        tone: against === null ? "baseline" : toneOf(standingOf(against), score),
        started: entry.started_at,
        label: `${entry.label}: ${mean}, against the reference ${reference}`,
      },
    ];
  });
}

/** What few fonts have. */
const MARK = /([▲▼≈○◄])(?= )/u;

function marked(text: string): VNode[] {
  return text
    .split(MARK)
    .map((part, i) => (i % 2 === 1 ? <Glyph key={i} mark={part} /> : <bdi key={i}>{unbroken(part)}</bdi>));
}

function Run({ id, run, compare }: Cells & { readonly compare: (id: string) => (() => void) | null }): VNode {
  const press = compare(id);
  return (
    <span title={id}>
      <bdi>{unbroken(run)}</bdi>{" "}
      {press === null ? null : (
        <button type="button" class="small" onClick={press}>
          Compare<span class="unseen"> with {bracketed(run)}</span>
        </button>
      )}
    </span>
  );
}
