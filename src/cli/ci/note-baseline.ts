import { createHash } from "node:crypto";
import { EvalcubeError } from "../../errors.ts";
import { BASELINE_TYPE } from "../../model/conventions.ts";
import { fileUser, USER_VARIABLE } from "../../model/user-name.ts";
import { withEngine } from "../options/database.ts";
import { noteAll, type Terminal } from "../terminal/terminal.ts";

/** Evaluations that were saved as a baseline. */
export interface SavedRuns {
  readonly project: string;
  readonly ids: readonly string[];
}

/**
 * Keeps in the database that these are a baseline, so that `delete --older-than` leaves them. A database that cannot be
 * written is noted: the file was saved all the same.
 */
export async function noteBaseline(
  db: string,
  { project, ids }: SavedRuns,
  terminal: Terminal,
): Promise<void> {
  const records = ids.map((id) => ({
    project_id: project,
    svc_ref: `svc:///${project}/call/${id}`,
    feedback_type: BASELINE_TYPE,
    payload: {},
    // The same run may be saved again.
    id: createHash("sha256").update(`${BASELINE_TYPE} ${id}`).digest("hex").slice(0, 32),
  }));
  const userId = fileUser(process.env[USER_VARIABLE]) ?? "evalcube";
  try {
    await withEngine(terminal, db, (engine) => engine.feedback.createMany(records, { userId }));
  } catch (error) {
    if (!(error instanceof EvalcubeError)) throw error;
    await noteAll(terminal, [`${db} does not say that these are a baseline: ${error.message}`]);
  }
}
