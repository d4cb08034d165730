import { v7 as uuidv7 } from "uuid";
import { IngestError, RequestError, type InputPath } from "../../errors.ts";
import { writeJson } from "../../model/json.ts";
import { itemTexts } from "../../model/member-texts.ts";
import { mapInSlices } from "../../model/turns.ts";
import { authorize, meaningFault, readRequest, textAt } from "../read-request.ts";
import type { WeaveCaller, WeaveSeam } from "../seam.ts";
import { partText } from "./part-texts.ts";
import {
  completeRequest,
  deleteRequest,
  endRequest,
  renameRequest,
  startRequest,
  upsertRequest,
} from "./requests.ts";

/** Options of writing calls. */
export interface CallWriteOptions extends WeaveCaller {
  /** The project that every call must belong to, where the address of the request names one. */
  readonly projectId?: string | undefined;
}

/** Starts, ends and names of calls, in any order and more than once. Requests and answers are JSON texts. */
export interface WeaveCallWrites {
  /** Stores a batch of finished calls, all or none. */
  readonly completeCalls: (request: string, options: CallWriteOptions) => Promise<string>;
  /** Stores the start of a call; answers its id and that of its trace. */
  readonly startCall: (request: string, options: CallWriteOptions) => Promise<string>;
  /** Stores the end of a call, also before its start. */
  readonly endCall: (request: string, options: CallWriteOptions) => Promise<string>;
  /** Stores a batch of starts and ends, all or none; answers an item for each, in order. */
  readonly upsertCalls: (request: string, caller: WeaveCaller) => Promise<string>;
  /** Names a call, also before its start; an empty name takes the name away. */
  readonly renameCall: (request: string, caller: WeaveCaller) => Promise<string>;
  /** Hides calls and their descendants; answers how many stored ones those were. */
  readonly deleteCalls: (request: string, caller: WeaveCaller) => Promise<string>;
}

export function createCallWrites(seam: Pick<WeaveSeam, "storeParts" | "deleteCalls">): WeaveCallWrites {
  return {
    completeCalls: async (request, options) => {
      const { batch } = readRequest(request, completeRequest);
      checkProjects(batch, options, (i) => ["batch", i]);
      const texts = itemTexts(textAt(request, "batch"));
      const { userId } = options;
      const parts = await mapInSlices(texts, (text) => partText(text, { kind: "whole", userId, ids: null }));
      await store(seam, parts, options, (i) => ["batch", i]);
      return "{}";
    },
    startCall: async (request, options) => {
      const { start } = readRequest(request, startRequest);
      checkProjects([start], options, () => ["start"]);
      const ids = idsOf(start);
      const part = partText(textAt(request, "start"), { kind: "start", userId: options.userId, ids });
      await store(seam, [part], options, () => ["start"]);
      return writeJson(ids);
    },
    endCall: async (request, options) => {
      const { end } = readRequest(request, endRequest);
      checkProjects([end], options, () => ["end"]);
      const part = partText(textAt(request, "end"), { kind: "end", userId: options.userId, ids: null });
      await store(seam, [part], options, () => ["end"]);
      return "{}";
    },
    upsertCalls: (request, caller) => upsertCalls(seam, request, caller),
    renameCall: (request, caller) => renameCall(seam, request, caller),
    deleteCalls: async (request, caller) => {
      const { project_id, call_ids } = readRequest(request, deleteRequest);
      authorize(caller, project_id);
      const options = caller.signal === undefined ? {} : { signal: caller.signal };
      const { hidden } = await seam.deleteCalls(project_id, call_ids, options);
      return writeJson({ num_deleted: hidden });
    },
  };
}

async function renameCall(
  seam: Pick<WeaveSeam, "storeParts">,
  request: string,
  caller: WeaveCaller,
): Promise<string> {
  const { project_id, call_id: id, display_name } = readRequest(request, renameRequest);
  authorize(caller, project_id);
  if (display_name == null) return "{}";
  const name = display_name.replaceAll("\0", "\uFFFD");
  await store(seam, [writeJson({ project_id, id, display_name: name })], caller, () => []);
  return "{}";
}

async function upsertCalls(
  seam: Pick<WeaveSeam, "storeParts">,
  request: string,
  caller: WeaveCaller,
): Promise<string> {
  const { batch } = readRequest(request, upsertRequest);
  const place = (i: number) => ["batch", i, "req", batch[i]?.mode ?? "start"];
  const items = batch.map((one) => (one.mode === "start" ? one.req.start : one.req.end));
  checkProjects(items, caller, place);
  const texts = itemTexts(textAt(request, "batch"));
  const { userId } = caller;
  const answers: object[] = [];
  const parts = await mapInSlices(batch, (one, i) => {
    const ids = one.mode === "start" ? idsOf(one.req.start) : null;
    answers.push(ids ?? {});
    return partText(textAt(texts[i] ?? "{}", "req", one.mode), { kind: one.mode, userId, ids });
  });
  await store(seam, parts, caller, place);
  return writeJson({ res: answers });
}

function idsOf({ id, trace_id }: CallIds): Record<"id" | "trace_id", string> {
  return { id: id ?? uuidv7(), trace_id: trace_id ?? uuidv7() };
}

interface CallIds {
  readonly id?: string | null | undefined;
  readonly trace_id?: string | null | undefined;
}

/** Throws unless the caller may use the project of each item, and the items belong to the project of the address. */
function checkProjects(
  items: readonly { readonly project_id: string }[],
  options: CallWriteOptions,
  place: (i: number) => InputPath,
): void {
  for (const projectId of new Set(items.map((one) => one.project_id))) authorize(options, projectId);
  const { projectId } = options;
  if (projectId === undefined) return;
  const i = items.findIndex((one) => one.project_id !== projectId);
  if (i >= 0) throw meaningFault([...place(i), "project_id"], `must be ${projectId}, as in the address`);
}

/** Stores parts in one transaction; what the loader refuses is located in the request. */
async function store(
  { storeParts }: Pick<WeaveSeam, "storeParts">,
  parts: readonly string[],
  { signal }: WeaveCaller,
  place: (i: number) => InputPath,
): Promise<void> {
  if (parts.length === 0) return;
  try {
    await storeParts(parts, signal);
  } catch (error) {
    if (!(error instanceof IngestError)) throw error;
    const loc = [...place(error.position - 1), ...error.path];
    throw new RequestError("schema", [{ loc, msg: error.message, type: "invalid_record" }]);
  }
}
