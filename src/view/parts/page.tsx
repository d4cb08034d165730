import type { ComponentChildren, VNode } from "preact";
import type { Answers } from "../answers.ts";
import type { PageActions } from "./page-actions.ts";
import { Banner } from "./banner.tsx";

interface PageProps {
  readonly answers: Answers;
  /** Name of the headline dimension, `scorer` or `scorer.path`; null where there is none. */
  readonly score: string | null;
  /** Absent while nothing can be pressed: in the static file. */
  readonly actions?: PageActions;
  /** The section of rows. */
  readonly rows: ComponentChildren;
  /** Filters of the view, above the rows; absent in a report. */
  readonly filters?: ComponentChildren;
}

/** The page with all of its sections. */
export function Page({ answers, score, actions, rows, filters }: PageProps): VNode {
  return (
    <div class="page">
      <Banner answers={answers} score={score} actions={actions} />
      <main>
        {filters}
        {rows}
      </main>
    </div>
  );
}
