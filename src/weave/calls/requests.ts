import { projectId, textList } from "../../model/arguments.ts";
import { parseTimestamp } from "../../model/timestamp.ts";
import { querySchema } from "../conditions/operands.ts";
import { sortOrder } from "../conditions/order.ts";
import { z } from "zod";

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

const texts = textList.nullish();

const filter = z
  .looseObject({
    call_ids: texts,
    op_names: texts,
    parent_ids: texts,
    trace_ids: texts,
    input_refs: texts,
    output_refs: texts,
    thread_ids: texts,
    turn_ids: texts,
    trace_roots_only: z.boolean().nullish(),
    wb_user_ids: texts,
    wb_run_ids: texts,
  })
  .meta({ id: "WeaveCallFilter" });

const count = z.int().nonnegative().nullish();

export const streamCallsRequest = z
  .looseObject({
    project_id: projectId,
    filter: filter.nullish(),
    query: querySchema.nullish(),
    sort_by: sortOrder,
    limit: count,
    offset: count,
    columns: texts,
    include_feedback: z.boolean().nullish(),
  })
  .meta({ id: "WeaveCallQuery" });

export const countCallsRequest = z
  .looseObject({
    project_id: projectId,
    filter: filter.nullish(),
    query: querySchema.nullish(),
    limit: count,
  })
  .meta({ id: "WeaveCallStats" });

export const readCallRequest = z
  .looseObject({ project_id: projectId, id: z.string() })
  .meta({ id: "WeaveCallRead" });

const call = z
  .looseObject({ id: z.string(), project_id: projectId, op_name: z.string(), started_at: z.string() })
  .meta({ id: "WeaveStoredCall" });

export const callLine = call;
export const callReply = z.object({ call: call.nullable() }).meta({ id: "WeaveCallReply" });

/** What calls are selected by. */
export type CallFilter = z.output<typeof filter>;
export type CallQuery = z.output<typeof streamCallsRequest>;
