import { compileEvaluationCounts, compileProjects } from "../../compile/catalog/project.ts";
import type { Store } from "../../store/session.ts";

/** A project of a database. */
export interface ProjectEntry {
  /** `entity/project`. */
  readonly project_id: string;
  /** Number of evaluations that `listEvaluations` gives. */
  readonly evaluation_count: number;
}

/** Lists the projects of a database by id. */
export async function listProjects(store: Store): Promise<string[]> {
  const found = await store.read(async (session) => {
    await session.about(null, []);
    return session.all(compileProjects());
  });
  return found.map(({ id }) => id);
}

/** Lists the projects of a database by id, each with the number of its evaluations. */
export async function countEvaluations(
  store: Store,
  signal: AbortSignal | undefined,
): Promise<ProjectEntry[]> {
  const found = await store.read(async (session) => {
    await session.about(null, []);
    return session.all(compileEvaluationCounts());
  }, signal);
  return found.map(({ id, evaluations }) => ({ project_id: id, evaluation_count: evaluations }));
}
