import type { VNode } from "preact";
import { percent, placeOn, scaleOver } from "./scale.ts";

/** One run of a history. */
export interface RunPoint {
  readonly value: number;
  readonly interval: readonly [number, number] | null;
  readonly tone: "baseline" | "good" | "bad" | "neutral";
  /** ISO 8601 in UTC; null where it is not known. */
  readonly started: string | null;
  /** Says the figures. */
  readonly label: string;
}

interface RunPlotProps {
  readonly points: readonly RunPoint[];
  readonly tickText: (tick: number) => string;
}

const HEIGHT = 120;

/**
 * Runs from left to right, each a dot with its interval; those that are shown worse are crossed. The table beside it
 * has the figures.
 */
export function RunPlot({ points, tickText }: RunPlotProps): VNode {
  const scale = scaleOver(
    points.flatMap(({ value, interval }) => [value, ...(interval ?? [])]),
    4,
  );
  const y = (value: number) => percent(100 - placeOn(scale, value));
  const x = (i: number) => percent((100 * (i + 0.5)) / points.length);
  return (
    <figure class="chart">
      <svg
        class="history-plot"
        width="100%"
        height={HEIGHT}
        role="img"
        aria-label={points.map(({ label }) => label).join("; ")}
      >
        <g class="grid">
          {scale.ticks.map((tick) => (
            <g key={tick}>
              <line x1="0" x2="100%" y1={y(tick)} y2={y(tick)} />
              <svg class="place" x="0" y={y(tick)}>
                <text x="-8" y="4" text-anchor="end">
                  {tickText(tick)}
                </text>
              </svg>
            </g>
          ))}
          <Ends points={points} />
        </g>
        {points.map((point, i) => (
          <Run key={i} {...point} x={x(i)} y={y} />
        ))}
      </svg>
    </figure>
  );
}

interface RunProps extends RunPoint {
  readonly x: string;
  readonly y: (value: number) => string;
}

function Run({ value, interval, tone, x, y }: RunProps): VNode {
  return (
    <g class={`plot ${tone}`}>
      {interval === null ? null : (
        <line class="interval" x1={x} x2={x} y1={y(interval[0])} y2={y(interval[1])} />
      )}
      <circle class="dot" cx={x} cy={y(value)} r="4.5" />
      {tone === "bad" ? (
        <svg class="place" x={x} y={y(value)}>
          <path class="cross" d="M-8-8 8 8M-8 8 8-8" />
        </svg>
      ) : null}
    </g>
  );
}

/** When the first and the last run began: the date, or the time where all began on one day. */
function Ends({ points }: Pick<RunPlotProps, "points">): VNode {
  const [first = null, last = null] = [points[0]?.started, points.at(-1)?.started];
  const [from, to] = first?.slice(0, 10) === last?.slice(0, 10) ? [11, 16] : [0, 10];
  return (
    <>
      <text x="0" y={HEIGHT + 16}>
        {first?.slice(from, to)}
      </text>
      <text x="100%" y={HEIGHT + 16} text-anchor="end">
        {points.length < 2 ? null : last?.slice(from, to)}
      </text>
    </>
  );
}
