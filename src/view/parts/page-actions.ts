import type { EvaluationEntry } from "../../engine/catalog/list-evaluations.ts";

/** What can be pressed on a page. */
export interface PageActions {
  readonly chooseScore: (score: string) => void;
  readonly turnTheme: () => void;
  /** Only in the view. */
  readonly chooseBaseline?: (id: string) => void;
  /** Only in the view. */
  readonly chooseEvaluations?: (ids: readonly string[]) => void;
  /** Only in the view: the ids that are chosen, whose answers may be under way. */
  readonly chosenEvaluations?: readonly string[];
  /** Only in the view: all evaluations of the project. */
  readonly allEvaluations?: readonly EvaluationEntry[];
  /** Only in the view. */
  readonly saveReport?: () => void;
}
