import type { VNode } from "preact";
import type { Shown, ShownEvaluation } from "../../model/shown.ts";
import { countText, intervalText, meanText, outOf } from "../../../words/figures.ts";
import { Name } from "../name.tsx";
import { Prose, Section } from "../section.tsx";
import { type Column, figures, names, Table } from "../table.tsx";
import type { Interval } from "../../../stats/estimates/mean.ts";
import { percent, placeOn, type Scale } from "../../plots/scale.ts";

/** What several trials of a row say; nothing where rows have one. */
export function SeveralTrialsPart({ shown }: { readonly shown: Shown }): VNode | null {
  const curves = trialsCurves(shown);
  if (curves.length === 0) return null;
  return (
    <Section kind="several-trials" title="Several trials">
      <Prose more="pass@k is the probability that at least one of k trials of a row passes, pass^k that all pass; means over the rows with at least as many trials as the largest k.">
        How often k trials of a row pass, 95% intervals.
      </Prose>
      <p class="legend">
        <span>
          <span class="key some" aria-hidden="true" /> pass@k, at least one
        </span>
        <span>
          <span class="key all" aria-hidden="true" /> pass^k, all
        </span>
      </p>
      <div class="pictures">
        {curves.slice(0, MOST_PICTURES).map((points) => (
          <figure key={points[0]?.one.name.id}>
            <figcaption>{points[0] === undefined ? null : <Name {...points[0].one.name} />}</figcaption>
            <TrialsPlot points={points} />
          </figure>
        ))}
      </div>
      <Table label="Several trials" columns={COLUMNS} lines={curves.flat()} />
    </Section>
  );
}

/** The table has them all. */
const MOST_PICTURES = 24;

interface TrialsLine extends TrialsPoint {
  readonly one: ShownEvaluation;
  readonly rows: number;
}

const COLUMNS: readonly Column<TrialsLine>[] = [
  names(({ one }) => one.name),
  figures(({ k }) => countText(k), "k"),
  figures(({ some }) => meanText(some, "binary"), "pass@k", true),
  figures(({ someInterval }) => intervalText(someInterval, "binary"), "95% interval"),
  figures(({ all }) => meanText(all, "binary"), "pass^k", true),
  figures(({ allInterval }) => intervalText(allInterval, "binary"), "95% interval"),
  figures(({ rows, one }) => rowsText(rows, one.stats?.scored_row_count ?? rows), "Rows"),
];

/** `7 of 80 rows` where some are left out. */
function rowsText(rows: number, scored: number): string {
  return rows === scored ? countText(rows) : `${outOf(rows, scored)} rows`;
}

/** pass@k and pass^k by k, for each evaluation whose rows have more than one trial. */
function trialsCurves({ evaluations }: Shown): TrialsLine[][] {
  return evaluations.map(pointsOf).filter((points) => points.some(({ k }) => k > 1));
}

function pointsOf(one: ShownEvaluation): TrialsLine[] {
  const { stats } = one;
  const rows = stats?.pass_k_row_count ?? {};
  return Object.entries(rows)
    .map(([k, count]) => ({ k: Number(k), count }))
    .toSorted((a, b) => a.k - b.k)
    .flatMap(({ k, count }): TrialsLine[] => {
      const [some, all] = [stats?.pass_at_k?.[k] ?? null, stats?.pass_hat_k?.[k] ?? null];
      if (count === 0 || some === null || all === null) return [];
      const someInterval = stats?.pass_at_k_confidence_interval?.[k] ?? null;
      const allInterval = stats?.pass_hat_k_confidence_interval?.[k] ?? null;
      return [{ one, k, some, someInterval, all, allInterval, rows: count }];
    });
}

/** How often some and all of k trials of a row pass. */
interface TrialsPoint {
  readonly k: number;
  readonly some: number;
  readonly someInterval: Interval | null;
  readonly all: number;
  readonly allInterval: Interval | null;
}

const SHARES: Scale = { low: 0, high: 1, ticks: [0, 0.5, 1] };

/** pass@k and pass^k by k; the same figures stand in a table beside it. */
function TrialsPlot({ points }: { readonly points: readonly TrialsPoint[] }): VNode {
  const ks = points.map(({ k }) => k);
  const x = (k: number) => percent(6 + (88 * ks.indexOf(k)) / Math.max(1, ks.length - 1));
  const y = (share: number) => percent(100 - placeOn(SHARES, share));
  return (
    <svg class="trials-plot" width="100%" height="140" aria-hidden="true">
      <g class="grid">
        {SHARES.ticks.map((tick) => (
          <g key={tick}>
            <line x1="0" x2="100%" y1={y(tick)} y2={y(tick)} />
            <svg class="place" x="0" y={y(tick)}>
              <text x="-6" y="4" text-anchor="end">
                {tick * 100}%
              </text>
            </svg>
          </g>
        ))}
        {ks.map((k) => (
          <text key={k} x={x(k)} y="156" text-anchor="middle">
            {k}
          </text>
        ))}
      </g>
      <Curve kind="some" {...{ points, x, y }} />
      <Curve kind="all" {...{ points, x, y }} />
    </svg>
  );
}

interface CurveProps {
  readonly kind: "some" | "all";
  readonly points: readonly TrialsPoint[];
  readonly x: (k: number) => string;
  readonly y: (share: number) => string;
}

function Curve({ kind, points, x, y }: CurveProps): VNode {
  const dots = points.map((one) => ({ k: one.k, value: one[kind], interval: one[`${kind}Interval`] }));
  return (
    <g class={kind}>
      {dots.slice(1).map(({ k, value }, i) => {
        const before = dots[i] ?? { k, value };
        return <line key={k} class="line" x1={x(before.k)} y1={y(before.value)} x2={x(k)} y2={y(value)} />;
      })}
      {dots.map(({ k, interval }) =>
        interval === null ? null : (
          <line key={k} class="interval" x1={x(k)} x2={x(k)} y1={y(interval[0])} y2={y(interval[1])} />
        ),
      )}
      {dots.map(({ k, value }) => (
        <circle key={k} class="dot" cx={x(k)} cy={y(value)} r="4" />
      ))}
    </g>
  );
}
