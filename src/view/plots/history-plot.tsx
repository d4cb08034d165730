import type { VNode } from "preact";
import { percent, placeOn, scaleOver } from "./scale.ts";

/** One run of a history. */
export interface HistoryPoint {
  readonly value: number;
  readonly interval: readonly [number, number] | null;
  readonly tone: "baseline" | "good" | "bad" | "neutral";
  /** Says the figures. */
  readonly label: string;
}

/** Runs from left to right, each a dot with its interval; those that are shown worse are crossed. The table beside it has the figures. */
export function HistoryPlot({ points }: { readonly points: readonly HistoryPoint[] }): VNode {
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
