import { v7 as uuidv7 } from "uuid";
import type { z } from "zod";
import { IngestError, requestFault, type InputPath } from "../../errors.ts";
import { writeJson } from "../../model/json.ts";
import { textAt } from "../../model/member-texts.ts";
import { inOwnTurn } from "../../model/turns.ts";
import { authorize, meaningFault, readItems, readRequest } from "../request/read-request.ts";
import type { WeaveCaller, WeaveSeam } from "../request/seam.ts";
import {
  deleteRequest,
  endRequest,
  renameRequest,
  startRequest,
  upsertedPart,
  wholeCall,
} from "./requests.ts";
import { memberTexts, writeMembers } from "../../model/member-texts.ts";

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
      const checkProject = projectCheck(options);
      const read = (call: CallOfProject, text: string, i: number) => {
        checkProject(call, ["batch", i]);
        return partText(text, { kind: "whole", userId: options.userId, ids: null });
      };
      const { results: parts } = await readItems(request, ["batch"], wholeCall, read, options);
      await store(seam, parts, options, (i) => ["batch", i]);
      return "{}";
    },
    startCall: async (request, options) => {
      const { start } = await readRequest(request, startRequest, options);
      projectCheck(options)(start, ["start"]);
      const ids = idsOf(start);
      await storePart(seam, request, "start", options, ids);
      return writeJson(ids);
    },
    endCall: async (request, options) => {
      const { end } = await readRequest(request, endRequest, options);
      projectCheck(options)(end, ["end"]);
      await storePart(seam, request, "end", options, null);
      return "{}";
    },
    upsertCalls: (request, caller) => upsertCalls(seam, request, caller),
    renameCall: (request, caller) => renameCall(seam, request, caller),
    deleteCalls: async (request, caller) => {
      const { project_id, call_ids } = await readRequest(request, deleteRequest, caller);
      authorize(caller, project_id);
      const options = { signal: caller.signal, user: caller.userId };
      const { hidden } = await located(seam.deleteCalls(project_id, call_ids, options), (i) => [
        "call_ids",
        i,
      ]);
      return writeJson({ num_deleted: hidden });
    },
  };
}

async function storePart(
  seam: Pick<WeaveSeam, "storeParts">,
  request: string,
  kind: "start" | "end",
  options: CallWriteOptions,
  ids: ReturnType<typeof idsOf> | null,
): Promise<void> {
  const { userId } = options;
  const sent = await textAt(request, kind);
  const part = await inOwnTurn(sent, () => partText(sent, { kind, userId, ids }));
  await store(seam, [part], options, () => [kind]);
}

async function renameCall(
  seam: Pick<WeaveSeam, "storeParts">,
  request: string,
  caller: WeaveCaller,
): Promise<string> {
  const { project_id, call_id: id, display_name } = await readRequest(request, renameRequest, caller);
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
  const { userId } = caller;
  const checkProject = projectCheck(caller);
  const modes: ("start" | "end")[] = [];
  const answers: object[] = [];
  const place = (i: number) => ["batch", i, "req", modes[i] ?? "start"];
  const read = async (one: z.output<typeof upsertedPart>, text: string, i: number) => {
    modes.push(one.mode);
    const ids = one.mode === "start" ? idsOf(one.req.start) : null;
    checkProject(one.mode === "start" ? one.req.start : one.req.end, place(i));
    answers.push(ids ?? {});
    const sent = await textAt(text, "req", one.mode);
    return inOwnTurn(sent, () => partText(sent, { kind: one.mode, userId, ids }));
  };
  const { results: parts } = await readItems(request, ["batch"], upsertedPart, read, caller);
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

interface CallOfProject {
  readonly project_id: string;
}

/** Throws unless the caller may use the project of a call, and the call belongs to the project of the address. */
function projectCheck(options: CallWriteOptions): (call: CallOfProject, place: InputPath) => void {
  const allowed = new Set<string>();
  return ({ project_id: projectId }, place) => {
    if (!allowed.has(projectId)) authorize(options, projectId);
    allowed.add(projectId);
    if (options.projectId !== undefined && projectId !== options.projectId)
      throw meaningFault([...place, "project_id"], `must be ${options.projectId}, as in the address`);
  };
}

/** Stores parts in one transaction; what the loader refuses is located in the request. */
async function store(
  { storeParts }: Pick<WeaveSeam, "storeParts">,
  parts: readonly string[],
  { signal }: WeaveCaller,
  place: (i: number) => InputPath,
): Promise<void> {
  if (parts.length > 0) await located(storeParts(parts, signal), place);
}

/** What the loader refuses becomes a fault of the item of the request. */
async function located<T>(work: Promise<T>, place: (i: number) => InputPath): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof IngestError)) throw error;
    const loc = [...place(error.position - 1), ...error.path];
    throw requestFault("schema", loc, error.message, "invalid_record");
  }
}

/** Members of a start, and of an end. Others are kept as they come, with whichever part has them. */
const OF_START = ["op_name", "started_at", "attributes", "inputs", "trace_id", "parent_id"] as const;
const OF_END = ["ended_at", "output", "exception", "summary"] as const;
/** Members that a record refuses where they are no text. */
const TEXTS = ["trace_id", "parent_id", "display_name", "exception"] as const;

interface PartOptions {
  readonly kind: "start" | "end" | "whole";
  /** The user in whose name the call is stored. */
  readonly userId: string;
  /** The id of the call and of its trace, where the sender leaves them to the service. */
  readonly ids: { readonly id: string; readonly trace_id: string } | null;
}

/** The record of a part of a call from the JSON text that an SDK sent; every value stays as it was sent. */
function partText(sent: string, { kind, userId, ids }: PartOptions): string {
  const members = memberTexts(sent);
  for (const [name, value] of members) if (value === "null") members.delete(name);
  for (const name of kind === "start" ? OF_END : kind === "end" ? OF_START : []) members.delete(name);
  for (const name of TEXTS) keepText(members, name);
  members.delete("deleted_at");
  for (const name of ["wb_user_id", "deleted_by"]) members.delete(name);
  if (ids !== null) {
    members.set("id", JSON.stringify(ids.id));
    members.set("trace_id", JSON.stringify(ids.trace_id));
  }
  if (kind !== "end") {
    members.set("wb_user_id", JSON.stringify(userId));
    for (const name of ["attributes", "inputs"]) if (!members.has(name)) members.set(name, "{}");
  }
  if (kind !== "start" && !members.has("summary")) members.set("summary", "{}");
  return writeMembers(members);
}

/** Drops what is no text, and replaces U+0000, which no text of the database can hold. */
function keepText(members: Map<string, string>, name: string): void {
  const value = members.get(name);
  if (value === undefined) return;
  if (!value.startsWith('"')) members.delete(name);
  else if (/\\u0000/.test(value))
    members.set(name, JSON.stringify((JSON.parse(value) as string).replaceAll("\0", "\uFFFD")));
}
