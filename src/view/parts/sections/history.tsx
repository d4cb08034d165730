import type { VNode } from "preact";
import type { Answers } from "../../answers.ts";
import { Glyph } from "../../plots/glyph.tsx";
import type { HistoryAnswer } from "../../../respond/history/history.ts";
import { historyCells, historyScore, historySentence } from "../../words/history.ts";
import { standingOf, toneOf } from "../../words/standings.ts";
import { bracketed, framed, SentenceText } from "../name.tsx";
import type { LatestActions } from "../page-actions.ts";
import { Section } from "../section.tsx";
import { Table } from "../table.tsx";
import { percent, placeOn, scaleOver } from "../../plots/scale.ts";

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

type Cells = ReturnType<typeof historyCells> & { readonly id: string };

/** The runs of one name, and since when they are worse; nothing where there are less than two. */
export function HistoryPart({ answers, candidate, latest }: HistoryProps): VNode | null {
  const { evaluations, histories, question: naming, baseline } = answers;
  const called = evaluations.find(({ id }) => id === candidate)?.display_name;
  const history = histories.find(({ name }) => name === called);
  if (history === undefined || history.entries.length < 2) return null;
  const choose = latest.current?.view?.chooseBaseline;
  const compare = (id: string) => (choose === undefined || id === baseline ? null : () => choose(id));
  return (
    <Section kind="history" title="History">
      <p>
        <SentenceText sentence={historySentence(history, naming)} />
      </p>
      <HistoryPlot points={pointsOf(history, naming)} />
      <Table
        label="History"
        columns={[
          { head: "Run", kind: "name", cell: (line) => <Run {...line} compare={compare} /> },
          ...HEADS.map(([member, head]) => ({ head, cell: (line: Cells) => marked(line[member]) })),
        ]}
        lines={history.entries.map((entry) => ({
          id: entry.evaluation_call_id,
          ...historyCells(history, entry, naming),
        }))}
        keyOf={({ id }) => id}
      />
    </Section>
  );
}

/** The runs of a history as points of a picture, in their order; those without a value are left out. */
function pointsOf(history: HistoryAnswer, naming: Parameters<typeof historyCells>[2]): HistoryPoint[] {
  const score = historyScore(history, naming);
  if (score === null) return [];
  return history.entries.flatMap((entry): HistoryPoint[] => {
    const own = entry.scores[history.headline ?? 0];
    if (own?.row_mean == null) return [];
    const { against_best: against } = entry;
    const { mean, best } = historyCells(history, entry, naming);
    return [
      {
        value: own.row_mean,
        interval: own.confidence_interval ?? null,
        tone: against === null ? "baseline" : toneOf(standingOf(against), score),
        label: `${entry.label}: ${mean}, against the best ${best}`,
      },
    ];
  });
}

/** What few fonts have. */
const MARK = /([▲▼≈○◄])(?= )/u;

function marked(text: string): VNode[] {
  return text
    .split(MARK)
    .map((part, i) => (i % 2 === 1 ? <Glyph key={i} mark={part} /> : <bdi key={i}>{framed(part)}</bdi>));
}

function Run({ id, run, compare }: Cells & { readonly compare: (id: string) => (() => void) | null }): VNode {
  const press = compare(id);
  return (
    <span title={id}>
      <bdi>{framed(run)}</bdi>{" "}
      {press === null ? null : (
        <button type="button" class="small" onClick={press}>
          Compare<span class="unseen"> with {bracketed(run, 60)}</span>
        </button>
      )}
    </span>
  );
}

/** One run of a history. */
interface HistoryPoint {
  readonly value: number;
  readonly interval: readonly [number, number] | null;
  readonly tone: "baseline" | "good" | "bad" | "neutral";
  /** Says the figures. */
  readonly label: string;
}

/** Runs from left to right, each a dot with its interval; those that are shown worse are crossed. The table beside it has the figures. */
function HistoryPlot({ points }: { readonly points: readonly HistoryPoint[] }): VNode {
  const scale = scaleOver(
    points.flatMap(({ value, interval }) => [value, ...(interval ?? [])]),
    4,
  );
  const y = (value: number) => percent(100 - placeOn(scale, value));
  const x = (i: number) => percent((100 * (i + 0.5)) / points.length);
  return (
    <svg
      class="history-plot"
      width="100%"
      height="120"
      role="img"
      aria-label={points.map(({ label }) => label).join("; ")}
    >
      <g class="grid">
        {scale.ticks.map((tick) => (
          <line key={tick} x1="0" x2="100%" y1={y(tick)} y2={y(tick)} />
        ))}
      </g>
      {points.map(({ value, interval, tone }, i) => (
        <g key={i} class={`plot ${tone}`}>
          {interval === null ? null : (
            <line class="interval" x1={x(i)} x2={x(i)} y1={y(interval[0])} y2={y(interval[1])} />
          )}
          <circle class="dot" cx={x(i)} cy={y(value)} r="4.5" />
          {tone === "bad" ? (
            <svg class="place" x={x(i)} y={y(value)}>
              <path class="cross" d="M-8-8 8 8M-8 8 8-8" />
            </svg>
          ) : null}
        </g>
      ))}
    </svg>
  );
}
