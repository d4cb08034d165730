import type { VNode } from "preact";
import { labelPlaces } from "./label-places.ts";
import { percent, placeOn, type Scale } from "./scale.ts";

type Range = readonly [low: number, high: number];

/** An evaluation in a picture of two measures. */
interface ScatterDot {
  readonly name: string;
  readonly x: number;
  readonly xInterval: Range | null;
  readonly y: number;
  readonly yInterval: Range | null;
  readonly faint: boolean;
  readonly baseline: boolean;
}

interface ScatterProps {
  readonly dots: readonly ScatterDot[];
  readonly x: Scale;
  readonly y: Scale;
  readonly xLabel: (tick: number) => string;
  readonly yLabel: (tick: number) => string;
}

const HEIGHT = 260;

/** Dots with intervals both ways; the same figures stand in a table beside it. */
export function Scatter({ dots, x, y, xLabel, yLabel }: ScatterProps): VNode {
  const left = (value: number) => placeOn(x, value);
  const top = (value: number) => 100 - placeOn(y, value);
  const labels = labelPlaces(
    dots.map((dot) => ({ x: left(dot.x) / 100, y: (top(dot.y) / 100) * HEIGHT, text: dot.name })),
    HEIGHT,
  );
  return (
    <svg class="scatter" width="100%" height={HEIGHT} aria-hidden="true">
      <Ticks x={x} y={y} xLabel={xLabel} yLabel={yLabel} />
      {dots.map((dot, i) => {
        const [cx, cy] = [percent(left(dot.x)), percent(top(dot.y))];
        const label = labels[i] ?? null;
        return (
          <g key={i} class={`${dot.faint ? "faint" : ""} ${dot.baseline ? "baseline" : ""}`}>
            <Whiskers dot={dot} left={left} top={top} />
            <circle class="dot" cx={cx} cy={cy} r="4.5" />
            {label === null ? null : (
              <svg class="place" x={cx} y={cy}>
                <text class="label" x={label.dx} y={label.dy} text-anchor={label.anchor}>
                  {dot.name}
                </text>
              </svg>
            )}
          </g>
        );
      })}
    </svg>
  );
}

interface WhiskersProps {
  readonly dot: ScatterDot;
  readonly left: (value: number) => number;
  readonly top: (value: number) => number;
}

function Whiskers({ dot, left, top }: WhiskersProps): VNode {
  const [cx, cy] = [percent(left(dot.x)), percent(top(dot.y))];
  const { xInterval, yInterval } = dot;
  return (
    <g class="interval">
      {xInterval === null ? null : (
        <line x1={percent(left(xInterval[0]))} x2={percent(left(xInterval[1]))} y1={cy} y2={cy} />
      )}
      {yInterval === null ? null : (
        <line x1={cx} x2={cx} y1={percent(top(yInterval[0]))} y2={percent(top(yInterval[1]))} />
      )}
    </g>
  );
}

function Ticks({ x, y, xLabel, yLabel }: Omit<ScatterProps, "dots">): VNode {
  return (
    <g class="grid">
      {x.ticks.map((tick) => {
        const place = percent(placeOn(x, tick));
        return (
          <g key={tick}>
            <line x1={place} x2={place} y1="0" y2="100%" />
            <text x={place} y={HEIGHT + 16} text-anchor="middle">
              {xLabel(tick)}
            </text>
          </g>
        );
      })}
      {y.ticks.map((tick) => {
        const place = percent(100 - placeOn(y, tick));
        return (
          <g key={tick}>
            <line x1="0" x2="100%" y1={place} y2={place} />
            <svg class="place" x="0" y={place}>
              <text x="-8" y="4" text-anchor="end">
                {yLabel(tick)}
              </text>
            </svg>
          </g>
        );
      })}
    </g>
  );
}
