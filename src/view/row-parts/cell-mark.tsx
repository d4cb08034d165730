import type { VNode } from "preact";
import { meanText, numberText } from "../../words/figures.ts";
import type { Score } from "../../words/score.ts";

interface CellMarkProps {
  /** Null for no value, undefined for not run. */
  readonly value: number | null | undefined;
  readonly score: Score | null;
  /** How numbers are written. */
  readonly numberIn?: (value: number) => string;
}

/**
 * A row's value: a picture with a name, which the style draws if there is no text, or a figure with all digits as its
 * title.
 */
export function CellMark({ value, score, numberIn = numberText }: CellMarkProps): VNode {
  const binary = score?.value_type === "binary";
  if (value == null || (binary && (value === 0 || value === 1))) {
    const [kind, name, text] = PICTURES[String(value) as keyof typeof PICTURES];
    return (
      <span class={`mark ${kind}`} role="img" aria-label={name}>
        {text}
      </span>
    );
  }
  return (
    <span class={`mark ${binary ? "partly" : "number"}`} title={String(value)}>
      {binary ? meanText(value, "binary") : numberIn(value)}
    </span>
  );
}

const PICTURES = {
  undefined: ["not-run", "not run", "·"],
  null: ["no-value", "no value", "–"],
  1: ["pass", "pass", ""],
  0: ["fail", "fail", ""],
} as const;
