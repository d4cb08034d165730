import type { VNode } from "preact";
import type { Interval } from "../../stats/estimates/mean.ts";
import { percent, placeOn, type Scale } from "./scale.ts";

/** How often some and all of k trials of a row pass. */
export interface TrialsPoint {
  readonly k: number;
  readonly some: number;
  readonly someInterval: Interval | null;
  readonly all: number;
  readonly allInterval: Interval | null;
}

const SHARES: Scale = { low: 0, high: 1, ticks: [0, 0.5, 1] };

/** pass@k and pass^k by k; the same figures stand in a table beside it. */
export function TrialsPlot({ points }: { readonly points: readonly TrialsPoint[] }): VNode {
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
