import type { VNode } from "preact";
import { Grid } from "./axis.tsx";
import { percent, placeOn, type Scale } from "./scale.ts";

/** How a dot looks: `shown` is filled, `open` is not. */
export type DotKind = "baseline" | "good" | "bad" | "neutral" | "open";

interface DotIntervalProps {
  readonly scale: Scale;
  readonly value: number;
  readonly interval: readonly [number, number] | null;
  readonly kind: DotKind;
  /** Says the figures. */
  readonly label: string;
  /** Half of the width of the band around `zero`. */
  readonly band?: number | null;
  /** Whether 0 is marked. */
  readonly zero?: boolean;
}

/** A value as a dot, with its interval. */
export function DotInterval({ scale, value, interval, kind, label, band, zero }: DotIntervalProps): VNode {
  const at = (number: number) => percent(placeOn(scale, number));
  return (
    <svg class={`plot ${kind}`} width="100%" height="32" role="img" aria-label={label}>
      {band == null ? null : (
        <rect
          class="band"
          x={at(-band)}
          width={percent(placeOn(scale, band) - placeOn(scale, -band))}
          y="0"
          height="100%"
        />
      )}
      <Grid scale={scale} />
      {zero === true ? <line class="zero" x1={at(0)} x2={at(0)} y1="0" y2="100%" /> : null}
      {interval === null ? null : (
        <line class="interval" x1={at(interval[0])} x2={at(interval[1])} y1="50%" y2="50%" />
      )}
      <circle class="dot" cx={at(value)} cy="50%" r="4.5" />
    </svg>
  );
}
