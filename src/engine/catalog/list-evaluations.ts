import { compileEvaluationList } from "../../compile/catalog/evaluations.ts";
import type { Store } from "../../store/session.ts";
import { checkProjectId } from "../flow/check-options.ts";
import { formatTimestamp } from "../../model/timestamp.ts";

/** An evaluation in the list of a project. */
export interface EvaluationEntry {
  /** Id of the root call. */
  readonly id: string;
  /** Display name; null where none was given. */
  readonly display_name: string | null;
  /** Reference to the evaluation that ran. */
  readonly evaluation_ref: string | null;
  /** Reference to the model that was evaluated. */
  readonly model_ref: string | null;
  /** ISO 8601 in UTC; null while the root call is not stored. */
  readonly started_at: string | null;
  /** Number of stored trials. */
  readonly trial_count: number;
}

/** Lists the evaluations of a project by start, those without a root call last, then by id. */
export async function listEvaluations(store: Store, projectId: string): Promise<EvaluationEntry[]> {
  checkProjectId(projectId);
  const found = await store.read((session) => session.all(compileEvaluationList(projectId)));
  return found.map(({ id, displayName, evaluationRef, modelRef, startedAt, trials }) => ({
    id,
    display_name: displayName,
    evaluation_ref: evaluationRef,
    model_ref: modelRef,
    started_at: startedAt === null ? null : formatTimestamp(startedAt),
    trial_count: trials,
  }));
}
