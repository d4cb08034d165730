import type { Answers } from "../model/answers.ts";
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
  /** Only in the view, which can ask again. */
  readonly view?: ViewActions;
}

export interface ViewActions {
  /** How they were chosen, whose answers may be under way. */
  readonly runs: Answers["runs"];
  readonly chooseRuns: (runs: Answers["runs"]) => void;
  /** Chooses whose latest two runs are shown. */
  readonly chooseName: (name: string) => void;
  /** The one that is chosen, whose answers may be under way; null where the page has none. */
  readonly score: string | null;
  /** What can be chosen beside the scores of the page. */
  readonly moreScores: readonly string[];
  readonly chooseBaseline: (id: string) => void;
  /** What slices are by, `nothing` or fields; none: it is chosen. */
  readonly by: readonly string[];
  /** Fields of inputs, and of details of trials. */
  readonly fields: readonly string[];
  readonly chooseBy: (by: readonly string[]) => void;
  readonly addFilters: (filters: readonly Filter[]) => void;
  readonly chooseEvaluations: (ids: readonly string[]) => void;
  /** The ids that are chosen, whose answers may be under way. */
  readonly chosenEvaluations: readonly string[];
  /** All evaluations of the project. */
  readonly allEvaluations: readonly EvaluationEntry[];
  readonly saveReport: () => void;
}

/** What can be pressed now, for parts that are not drawn again when it changes. */
export interface LatestActions {
  readonly current: PageActions | undefined;
}
