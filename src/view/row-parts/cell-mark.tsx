import type { VNode } from "preact";
import { cellOf } from "./shown-score.ts";

interface CellMarkProps {
  readonly value: number | null | undefined;
  readonly binary: boolean;
  /** How numbers are written. */
  readonly numberIn?: (value: number) => string;
}

/** A row's value: a picture with a name, or a figure with all digits as its title. */
export function CellMark({ value, binary, numberIn }: CellMarkProps): VNode {
  const { kind, text, name } = cellOf(value, binary, numberIn);
  return name === undefined ? (
    <span class={`mark ${kind}`} title={String(value)}>
      {text}
    </span>
  ) : (
    <span class={`mark ${kind}`} role="img" aria-label={name}>
      {text}
    </span>
  );
}
