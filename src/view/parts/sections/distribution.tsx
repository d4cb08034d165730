import type { ComponentChildren, VNode } from "preact";
import type { Histogram } from "../../../respond/summary/scorer-stats.ts";
import { sharesOf, type Shares } from "../../model/distribution.ts";
import type { Shown } from "../../model/shown.ts";
import { HistogramPlot } from "../../plots/histogram.tsx";
import { StackedBar } from "../../plots/stacked-bar.tsx";
import { counted, countText, numberText } from "../../words/figures.ts";
import { Name } from "../name.tsx";
import { Prose, Section } from "../section.tsx";
import { names, Table } from "../table.tsx";

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
