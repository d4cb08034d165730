import { z } from "zod";
import { projectId, textList } from "../../model/arguments.ts";
import { parseTimestamp } from "../../model/timestamp.ts";

/** Types of required members only: an SDK loses a batch that is refused. */
const time = z
  .string()
  .refine((text) => parseTimestamp(text) !== null, "must be an ISO 8601 time with offset")
  .meta({ format: "date-time" });
const id = z.string().min(1);
const anyObject = z.looseObject({}).nullable();

const started = {
  project_id: projectId,
  op_name: z.string().min(1),
  started_at: time,
  attributes: anyObject,
  inputs: anyObject,
};
const ended = { ended_at: time, summary: anyObject };

const start = z
  .looseObject({ ...started, id: id.nullish(), trace_id: id.nullish() })
  .meta({ id: "WeaveCallStart" });
const end = z.looseObject({ project_id: projectId, id, ...ended }).meta({ id: "WeaveCallEnd" });
export const wholeCall = z.looseObject({ ...started, ...ended, id, trace_id: id }).meta({ id: "WeaveCall" });

export const startRequest = z.looseObject({ start }).meta({ id: "WeaveStartRequest" });
export const endRequest = z.looseObject({ end }).meta({ id: "WeaveEndRequest" });
export const completeRequest = z
  .looseObject({ batch: z.array(wholeCall) })
  .meta({ id: "WeaveCompleteRequest" });
export const upsertedPart = z.discriminatedUnion("mode", [
  z.looseObject({ mode: z.literal("start"), req: z.looseObject({ start }) }),
  z.looseObject({ mode: z.literal("end"), req: z.looseObject({ end }) }),
]);
export const upsertRequest = z
  .looseObject({ batch: z.array(upsertedPart) })
  .meta({ id: "WeaveUpsertRequest" });
export const renameRequest = z
  .looseObject({ project_id: projectId, call_id: id, display_name: z.string().nullish() })
  .meta({ id: "WeaveRenameRequest" });
export const deleteRequest = z
  .looseObject({ project_id: projectId, call_ids: textList })
  .meta({ id: "WeaveDeleteRequest" });

export const startReply = z.object({ id: z.string(), trace_id: z.string() }).meta({ id: "WeaveStarted" });
export const upsertReply = z
  .object({ res: z.array(z.union([startReply, z.object({})])) })
  .meta({ id: "WeaveUpserted" });
export const emptyReply = z.object({}).meta({ id: "WeaveDone" });
export const deletedReply = z.object({ num_deleted: z.int() }).meta({ id: "WeaveDeleted" });
