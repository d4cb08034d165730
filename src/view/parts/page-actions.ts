import type { Filter } from "../../request/eval-results-request.ts";
import type { EvaluationEntry } from "../../engine/catalog/list-evaluations.ts";

/** What can be pressed on a page. */
export interface PageActions {
  readonly chooseScore: (score: string) => void;
  readonly turnTheme: () => void;
  /** Chooses the evaluation that slices are about. */
  readonly chooseCandidate: (id: string) => void;
  /** Id of that evaluation; null where none was chosen. */
  readonly candidate: string | null;
  /** Only in the view. */
  readonly chooseBaseline?: (id: string) => void;
  /** Only in the view: what slices are by, `automatic`, `nothing` or fields. */
  readonly grouping?: {
    readonly by: readonly string[];
    readonly fields: readonly string[];
    readonly choose: (by: readonly string[]) => void;
  };
  /** Only in the view. */
  readonly addFilters?: (filters: readonly Filter[]) => void;
  /** Only in the view. */
  readonly chooseEvaluations?: (ids: readonly string[]) => void;
  /** Only in the view: the ids that are chosen, whose answers may be under way. */
  readonly chosenEvaluations?: readonly string[];
  /** Only in the view: all evaluations of the project. */
  readonly allEvaluations?: readonly EvaluationEntry[];
  /** Only in the view. */
  readonly saveReport?: () => void;
}

/** What can be pressed now, for parts that are not drawn again when it changes. */
export interface LatestActions {
  readonly current: PageActions | undefined;
}
