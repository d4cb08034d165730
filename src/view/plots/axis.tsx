import type { VNode } from "preact";
import { percent, placeOn, type Scale } from "./scale.ts";

interface AxisProps {
  readonly scale: Scale;
  readonly label: (tick: number) => string;
}

/** The numbers above a column of plots. */
export function Axis({ scale, label }: AxisProps): VNode {
  return (
    <svg class="axis" width="100%" height="16" aria-hidden="true">
      {scale.ticks.map((tick) => (
        <text key={tick} x={percent(placeOn(scale, tick))} y="12" text-anchor="middle">
          {label(tick)}
        </text>
      ))}
    </svg>
  );
}

/** The lines below the numbers, in one plot of the column. */
export function Grid({ scale }: { readonly scale: Scale }): VNode {
  return (
    <g class="grid">
      {scale.ticks.map((tick) => {
        const x = percent(placeOn(scale, tick));
        return <line key={tick} x1={x} x2={x} y1="0" y2="100%" />;
      })}
    </g>
  );
}
