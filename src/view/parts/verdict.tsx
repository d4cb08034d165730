import type { VNode } from "preact";
import type { DotKind } from "../plots/dot-interval.tsx";
import { Glyph } from "../plots/glyph.tsx";
import type { Comparison } from "../../respond/compare/comparison.ts";
import type { Score } from "../../words/score.ts";
import { isDecided, labelOf, LESS, markOf, saysLess, toneOf, type Standing } from "../../words/standings.ts";

interface VerdictProps {
  readonly standing: Standing;
  readonly score: Score;
}

/** A standing as a glyph with its words; with a mark where the comparison shows less among others than alone. */
export function Verdict({
  standing,
  score,
  comparison,
}: VerdictProps & { readonly comparison?: Comparison | null }): VNode {
  return (
    <span class={`verdict ${toneOf(standing, score)}`}>
      <Glyph mark={markOf(standing)} /> {labelOf(standing, score)}
      {comparison != null && saysLess(comparison) ? LESS : null}
    </span>
  );
}

/** A standing as its glyph alone, whose name is its words. */
export function Mark({ standing, score }: VerdictProps): VNode {
  const label = labelOf(standing, score);
  return (
    <span class={`mark ${toneOf(standing, score)}`} role="img" aria-label={label} title={label}>
      <Glyph mark={markOf(standing)} />
    </span>
  );
}

/** How the dot of a standing looks: what decides nothing is open. */
export function dotKind(standing: Standing | null, score: Score): DotKind {
  if (standing === null) return "neutral";
  const tone = toneOf(standing, score);
  return tone === "neutral" && !isDecided(standing) ? "open" : tone;
}
