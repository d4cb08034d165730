import type { VNode } from "preact";
import type { DotKind } from "../plots/dot-interval.tsx";
import { Glyph } from "../plots/glyph.tsx";
import type { Score } from "../words/score.ts";
import { labelOf, markOf, toneOf, type Standing } from "../words/standings.ts";

interface VerdictProps {
  readonly standing: Standing;
  readonly score: Score;
}

/** A standing as a glyph with its words. */
export function Verdict({ standing, score }: VerdictProps): VNode {
  return (
    <span class={`verdict ${toneOf(standing, score)}`}>
      <Glyph mark={markOf(standing)} /> {labelOf(standing, score)}
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
  const decided = standing === "improved" || standing === "regressed";
  return tone === "neutral" && !decided ? "open" : tone;
}
