import { z } from "zod";
import { projectId, textList } from "../../model/arguments.ts";
import { sortOrder } from "../conditions/order.ts";
import { querySchema } from "../conditions/operands.ts";

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
