import type { VNode } from "preact";
import { percent } from "./scale.ts";

/** A part of a bar; its kind is its class. */
interface BarPart {
  readonly kind: string;
  readonly count: number;
}

interface StackedBarProps {
  readonly parts: readonly BarPart[];
  readonly height: number;
  /** Says the figures. */
  readonly label: string;
}

/** Counts as parts of one bar; what is there can be seen, however small it is. */
export function StackedBar({ parts, height, label }: StackedBarProps): VNode {
  const whole = parts.reduce((sum, { count }) => sum + count, 0) || 1;
  let from = 0;
  return (
    <svg class="bar" width="100%" height={height} role="img" aria-label={label}>
      {parts.map(({ kind, count }) => {
        const x = percent((from / whole) * 100);
        from += count;
        if (count === 0) return null;
        return <rect key={kind} class={kind} x={x} width={percent((count / whole) * 100)} height="100%" />;
      })}
    </svg>
  );
}
