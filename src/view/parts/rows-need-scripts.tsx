import type { VNode } from "preact";
import { Section } from "./section.tsx";

/** The section of rows while nothing can run. */
export function RowsNeedScripts(): VNode {
  return (
    <Section kind="rows" title="Rows">
      <p class="hint">The rows are in this file, but showing them needs scripts, which are off here.</p>
    </Section>
  );
}
