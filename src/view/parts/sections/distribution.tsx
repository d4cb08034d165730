import type { ComponentChildren, VNode } from "preact";
import type { Histogram, ScorerStats } from "../../../respond/summary/scorer-stats.ts";
import type { Shown, ShownEvaluation } from "../../model/shown.ts";
import { StackedBar } from "../../plots/stacked-bar.tsx";
import { counted, countText, numberText } from "../../../words/figures.ts";
import { Name } from "../name.tsx";
import { Prose, Section } from "../section.tsx";
import { names, Table } from "../table.tsx";
import { trialsPerRow } from "../../model/missing.ts";
import { passesIn, valuesIn } from "../../model/scores.ts";
import { percent, placeOn, type Scale } from "../../plots/scale.ts";

/** How the values of a score are spread. */
export function DistributionPart({ shown }: { readonly shown: Shown }): VNode | null {
  const content = shown.score.value_type === "binary" ? sharesContent(shown) : histogramContent(shown);
  if (content === null) return null;
  return (
    <Section
      kind="distribution"
      title={
        <>
          Distribution of <Name text={shown.score.name} />
        </>
      }
    >
      {content}
    </Section>
  );
}

/** What rows can come to, in the order of a bar. */
const OUTCOMES = [
  ["pass", "pass", "pass"],
  ["partly", "partly", "partly pass"],
  ["fail", "fail", "fail"],
  ["noValue", "no-value", "no value"],
  ["notRun", "not-run", "row not run"],
] as const;

function sharesContent(shown: Shown): ComponentChildren {
  const all = sharesOf(shown);
  if (all.length === 0) return null;
  return (
    <>
      <Table
        label={`Distribution of ${shown.score.name}`}
        kind="shares"
        columns={[
          names(({ one }: Shares) => one.name),
          {
            head: <Legend all={all} />,
            kind: "wide-plot",
            cell: (one) => (
              <StackedBar
                height={15}
                label={labelOf(one)}
                parts={OUTCOMES.map(([member, kind]) => ({ kind, count: one[member] }))}
              />
            ),
          },
        ]}
        lines={all}
        keyOf={({ one }) => one.name.id}
      />
      {all.some((one) => one.of === "trials") ? (
        <p class="hint">
          Where rows have unlike numbers of trials, or it is not known how many were run, the shares are of
          trials.
        </p>
      ) : null}
    </>
  );
}

function Legend({ all }: { readonly all: readonly Shares[] }): VNode {
  const present = OUTCOMES.filter(([member]) => member !== "partly" || all.some((one) => one.partly > 0));
  return (
    <span class="legend">
      {present.map(([, kind, text]) => (
        <span key={kind}>
          <span class={`key ${kind}`} aria-hidden="true" /> {text}
        </span>
      ))}
    </span>
  );
}

function labelOf(shares: Shares): string {
  const parts = OUTCOMES.flatMap(([member, , text]) =>
    shares[member] === 0 ? [] : [`${countText(shares[member])} ${text}`],
  );
  return `${shares.of}: ${parts.join(", ")}`;
}

/** Their bins are the same. */
function histogramContent({ evaluations }: Shown): ComponentChildren {
  const all = evaluations.flatMap(({ stats }) => stats?.histogram ?? []);
  const [first] = all;
  if (first === undefined) return null;
  const most = Math.max(...all.flatMap(({ counts }) => counts));
  const [low, high] = [first.edges[0] ?? 0, first.edges.at(-1) ?? 0];
  return (
    <>
      <Prose more={`All pictures have the same scales; the highest column is ${counted(most, "row")}.`}>
        Rows by value, {numberText(low)} to {numberText(high)}.
      </Prose>
      <div class="pictures">
        {evaluations.map(({ name, stats }) => (
          <figure key={name.id}>
            <figcaption>
              <Name {...name} />
            </figcaption>
            {stats?.histogram === undefined ? (
              <p class="hint">no value</p>
            ) : (
              <>
                <HistogramPlot {...stats.histogram} most={most} label={histogramLabel(stats.histogram)} />
                <p class="ends" aria-hidden="true">
                  <span>{numberText(low)}</span>
                  <span>{numberText(high)}</span>
                </p>
              </>
            )}
          </figure>
        ))}
      </div>
    </>
  );
}

/** Where most rows are. */
function histogramLabel({ edges, counts }: Histogram): string {
  const rows = counts.reduce((sum, count) => sum + count, 0);
  const most = Math.max(...counts);
  const at = counts.indexOf(most);
  const [from, to] = [numberText(edges[at] ?? 0), numberText(edges[at + 1] ?? 0)];
  return `${counted(rows, "row")}; most, ${countText(most)}, from ${from} to ${to}`;
}

/** Shares of the rows, or of the trials where rows have unlike numbers of them, that come to each outcome. */
interface Shares {
  readonly one: ShownEvaluation;
  readonly of: "rows" | "trials";
  readonly pass: number;
  readonly partly: number;
  readonly fail: number;
  readonly noValue: number;
  readonly notRun: number;
}

/** How true and false are spread; trials of an evaluation without the score have no value. */
function sharesOf({ evaluations, answers }: Shown): Shares[] {
  return evaluations.flatMap((one): Shares[] => {
    const { stats, summary } = one;
    const run = summary?.row_count ?? 0;
    const rows = { one, of: "rows", notRun: answers.summary.row_count - run } as const;
    if (stats === undefined) return run === 0 ? [] : [{ ...rows, pass: 0, partly: 0, fail: 0, noValue: run }];
    const counts = rowCounts(run, stats);
    return [counts === null ? trialShares(one, stats) : { ...rows, ...counts }];
  });
}

/** Counts of rows, as the summary says them of rows with one number of trials each: all of k pass, or at least one. */
function rowCounts(run: number, stats: ScorerStats) {
  const each = trialsPerRow(stats);
  const scored = stats.scored_row_count ?? 0;
  if (each === null) return null;
  const all = each === 1 ? passesIn(stats) / scored : (stats.pass_hat_k?.[each] ?? null);
  const some = each === 1 ? all : (stats.pass_at_k?.[each] ?? null);
  if (all === null || some === null || (each > 1 && stats.pass_k_row_count?.[each] !== scored)) return null;
  const share = (part: number) => Math.round(part * scored);
  const pass = share(all);
  const partly = share(some) - pass;
  return { pass, partly, fail: scored - pass - partly, noValue: run - scored };
}

function trialShares(one: ShownEvaluation, stats: ScorerStats): Shares {
  const [pass, known] = [passesIn(stats), valuesIn(stats)];
  const { expected_trial_count: expected = known } = stats;
  return { one, of: "trials", pass, partly: 0, fail: known - pass, noValue: expected - known, notRun: 0 };
}

interface HistogramProps {
  readonly edges: readonly number[];
  readonly counts: readonly number[];
  /** The largest count of all pictures on the same scale. */
  readonly most: number;
  /** Says the figures. */
  readonly label: string;
}

/** Counts as columns between edges. */
function HistogramPlot({ edges, counts, most, label }: HistogramProps): VNode {
  const scale: Scale = { low: edges[0] ?? 0, high: edges.at(-1) ?? 1, ticks: [] };
  return (
    <svg class="histogram" width="100%" height="64" role="img" aria-label={label}>
      <line class="base" x1="0" x2="100%" y1="63.5" y2="63.5" />
      {counts.map((count, i) => {
        if (count === 0) return null;
        const [from, to] = [placeOn(scale, edges[i] ?? 0), placeOn(scale, edges[i + 1] ?? 0)];
        const height = Math.max(1.5, (count / (most || 1)) * 60);
        return (
          <rect
            key={i}
            x={percent(from)}
            width={percent(to - from)}
            y={(63 - height).toFixed(1)}
            height={height.toFixed(1)}
          />
        );
      })}
    </svg>
  );
}
