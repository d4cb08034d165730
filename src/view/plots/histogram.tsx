import type { VNode } from "preact";
import { percent, placeOn, type Scale } from "./scale.ts";

interface HistogramProps {
  readonly edges: readonly number[];
  readonly counts: readonly number[];
  /** The largest count of all pictures on the same scale. */
  readonly most: number;
  /** Says the figures. */
  readonly label: string;
}

/** Counts as columns between edges. */
export function HistogramPlot({ edges, counts, most, label }: HistogramProps): VNode {
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
