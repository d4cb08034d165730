import type { VNode } from "preact";
import { startOf } from "../../words/cut-text.ts";
import { framed } from "../parts/name.tsx";

interface FailureProps {
  readonly error: Error;
  readonly again: () => void;
}

/** What failed, and a way to try again. */
export function Failure({ error, again }: FailureProps): VNode {
  return (
    <div role="alert" class="failure">
      <p>{framed(startOf(error.message, 2000))}</p>
      <button type="button" onClick={again}>
        Try again
      </button>
    </div>
  );
}
