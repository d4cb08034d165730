import { z } from "zod";
import { RequestError } from "../errors.ts";
import { checkArgument, plainText, projectId as projectIdSchema } from "../model/arguments.ts";
import type { FeedbackStore } from "./sql-store.ts";

/** Which feedback to delete: what all given members hold for. At least one of them is needed. */
export interface PurgeFeedbackSelection {
  /** Only feedback with one of these ids. */
  readonly ids?: readonly string[] | undefined;
  /** Only feedback on this object, op or call. */
  readonly svc_ref?: string | undefined;
  /** Only feedback of this type. */
  readonly feedback_type?: string | undefined;
}

const selectionSchema = z.strictObject({
  ids: z.array(plainText).optional(),
  svc_ref: plainText.optional(),
  feedback_type: plainText.optional(),
});

/** Deletes what is selected; returns how many records that were. An empty selection is refused. */
export async function purgeFeedback(
  store: FeedbackStore,
  projectId: string,
  selection: PurgeFeedbackSelection,
): Promise<{ readonly purged: number }> {
  const project = checkArgument(projectId, projectIdSchema, ["project_id"]);
  const selected = checkArgument(selection, selectionSchema, ["selection"]);
  const { ids = null, svc_ref: svcRef = null, feedback_type: feedbackType = null } = selected;
  if (ids === null && svcRef === null && feedbackType === null) {
    const msg = "must name ids, svc_ref or feedback_type: everything in a project is not purged at once";
    throw new RequestError("meaning", [{ loc: ["selection"], msg, type: "empty_selection" }]);
  }
  return { purged: await store.purge(project, { ids, svcRef, feedbackType }) };
}
