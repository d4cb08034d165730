import type { VNode } from "preact";
import { cellOf } from "./shown-score.ts";

interface CellMarkProps {
  readonly value: number | null | undefined;
  readonly binary: boolean;
}

/** A row's value: a picture with a name, or a figure. */
export function CellMark({ value, binary }: CellMarkProps): VNode {
  const { kind, text, name } = cellOf(value, binary);
  return name === undefined ? (
    <span class={`mark ${kind}`}>{text}</span>
  ) : (
    <span class={`mark ${kind}`} role="img" aria-label={name}>
      {text}
    </span>
  );
}
