import type { Store } from "../../store/session.ts";
import { sql, text } from "../../store/sql.ts";
import { checkText } from "../flow/check-options.ts";
import { formatTimestamp } from "../../model/timestamp.ts";

/** An evaluation of a project. */
export interface EvaluationEntry {
  /** Id of the root call. */
  readonly id: string;
  /** Name for people; null where none was given. */
  readonly display_name: string | null;
  /** Reference to the evaluation that ran. */
  readonly evaluation_ref: string | null;
  /** Reference to the model that was evaluated. */
  readonly model_ref: string | null;
  /** ISO 8601 in UTC; null while the root call is not stored. */
  readonly started_at: string | null;
  /** Trials that are stored. */
  readonly trial_count: number;
}

/** The evaluations of a project by start, those without a root last; then by id. */
export async function listEvaluations(store: Store, projectId: string): Promise<EvaluationEntry[]> {
  checkText("project", projectId);
  const found = await store.read((session) =>
    session.rows(sql`SELECT e.id, e.display_name, e.evaluation_ref, e.model_ref, e.started_at, coalesce(t.n, 0)
      FROM evaluations AS e JOIN projects AS p USING (project_key)
      LEFT JOIN (SELECT evaluation_key, count(*) AS n FROM trials GROUP BY evaluation_key) AS t USING (evaluation_key)
      WHERE p.project_id = ${text(projectId)} AND NOT e.hidden AND (e.has_root OR t.n > 0)
      ORDER BY e.started_at NULLS LAST, e.id`),
  );
  return found.map(([id, displayName, evaluationRef, modelRef, startedAt, trials]) => ({
    id: String(id),
    display_name: textOrNull(displayName),
    evaluation_ref: textOrNull(evaluationRef),
    model_ref: textOrNull(modelRef),
    started_at: typeof startedAt === "bigint" ? formatTimestamp(startedAt) : null,
    trial_count: Number(trials),
  }));
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
