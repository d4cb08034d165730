import { isJsonObject, type Json, type JsonObject } from "../../../model/json.ts";
import { contentText } from "../../../model/step-items/chat-items.ts";
import type { FrameItem, StepItem, ToolItem } from "../../../model/step-items/items.ts";
import { checkMembers, listAt, numberAt, objectAt, textAt } from "../../read/members.ts";
import { readTime } from "../../translate/times.ts";
import { tokensIn } from "./agent-trial.ts";

/** Opens another trajectory by a path that one says; null where there is none. */
type LoadTrajectory = (path: string) => Promise<JsonObject | null>;

interface Reading {
  readonly load: LoadTrajectory;
  /** Trajectories that were read: each counts once. */
  readonly read: Set<string>;
  readonly missing: string[];
  /** Trajectories of subagents that stand inside of others. */
  readonly inside: Json[];
}

/** What a trajectory (ATIF) says. */
interface Trajectory {
  readonly items: readonly StepItem[];
  /** The first message of a user. */
  readonly asked: Json;
  /** Trajectories that it names and that are not there. */
  readonly missing: readonly string[];
  /** The last of the files that it goes on in. */
  readonly last: JsonObject;
}

export const isTrajectory = (value: unknown): boolean =>
  isJsonObject(value) && textAt(value, "schema_version")?.startsWith("ATIF-") === true;

/** Reads a trajectory of this name, the files that it goes on in and those of subagents. Throws `SourceFault`. */
export async function readTrajectory(
  first: JsonObject,
  load: LoadTrajectory,
  name: string,
): Promise<Trajectory> {
  const reading: Reading = { load, read: new Set([name]), missing: [], inside: [] };
  const items: StepItem[] = [];
  let asked: Json = null;
  let last = first;
  for (let next: JsonObject | null = first; next !== null;) {
    last = next;
    asked ??= askedIn(next);
    items.push(...(await itemsOf(next, reading)));
    const path: string | null = textAt(next, "continued_trajectory_ref");
    next = path === null ? null : await loadOnce(path, reading);
  }
  return { items, asked, missing: reading.missing, last };
}

async function loadOnce(path: string, { load, read, missing }: Reading): Promise<JsonObject | null> {
  if (read.has(path)) return null;
  read.add(path);
  const found = await load(path);
  if (found === null) missing.push(path);
  return found;
}

function askedIn(trajectory: JsonObject): Json {
  const step = listAt(trajectory, "steps").find((one) => textAt(one, "source") === "user");
  return contentOf(objectAt(step)["message"]);
}

const STEP_TYPES = { list: ["tool_calls"], object: ["observation", "metrics"], text: ["source"] };

async function itemsOf(trajectory: JsonObject, reading: Reading): Promise<StepItem[]> {
  checkMembers(trajectory, { list: ["steps"] }, null);
  reading.inside.push(...listAt(trajectory, "subagent_trajectories"));
  const items: StepItem[] = [];
  let messages: Json[] = [];
  for (const [i, step] of listAt(trajectory, "steps").entries()) {
    if (!isJsonObject(step) || step["is_copied_context"] === true) continue;
    checkMembers(step, STEP_TYPES, `steps[${i}]`);
    const results = listAt(step, "observation", "results").map((one) => objectAt(one));
    if (step["source"] === "agent") {
      items.push(chatOf(step, trajectory, messages));
      messages = [];
    } else messages.push({ role: textAt(step, "source") ?? "user", content: contentOf(step["message"]) });
    const calls = step["source"] === "agent" ? listAt(step, "tool_calls").map((call) => objectAt(call)) : [];
    const ids = new Set(calls.map((call) => textAt(call, "tool_call_id")));
    for (const call of calls) items.push(toolOf(call, results));
    for (const result of results) {
      const id = textAt(result, "source_call_id");
      if (id === null || !ids.has(id)) messages.push({ role: "tool", content: contentOf(result["content"]) });
      items.push(...(await framesOf(result, reading)));
    }
  }
  return items;
}

function chatOf(step: JsonObject, trajectory: JsonObject, messages: readonly Json[]): StepItem {
  const metrics = objectAt(step, "metrics");
  const calls = listAt(step, "tool_calls");
  const reasoning = textAt(step, "reasoning_content");
  return {
    kind: "chat",
    model: textAt(step, "model_name") ?? textAt(trajectory, "agent", "model_name"),
    messages,
    output: {
      role: "assistant",
      content: contentOf(step["message"]),
      ...(reasoning === null ? {} : { reasoning_content: reasoning }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    },
    tokens: tokensIn(metrics, "prompt_tokens", "completion_tokens", "cached_tokens"),
    cost: numberAt(metrics, "cost_usd"),
    startedAt: readTime(step["timestamp"]),
  };
}

function toolOf(call: JsonObject, results: readonly JsonObject[]): ToolItem {
  const id = textAt(call, "tool_call_id");
  const result = results.find((one) => id !== null && textAt(one, "source_call_id") === id);
  return {
    kind: "tool",
    name: textAt(call, "function_name") ?? "tool",
    id,
    arguments: call["arguments"],
    result: result === undefined ? undefined : contentOf(result["content"]),
    isErrorUnknown: true,
  };
}

/** What subagents did for a result. */
async function framesOf(result: JsonObject, reading: Reading): Promise<FrameItem[]> {
  const { subagent_trajectory_ref: told = null } = result;
  const frames: FrameItem[] = [];
  for (const one of Array.isArray(told) ? (told as readonly Json[]) : [told]) {
    const found = await subagentOf(one, reading);
    if (found === null) continue;
    const name = textAt(found, "agent", "name") ?? "agent";
    frames.push({ kind: "frame", name, items: await itemsOf(found, reading) });
  }
  return frames;
}

const IDS = ["trajectory_id", "session_id"];

async function subagentOf(ref: Json, reading: Reading): Promise<JsonObject | null> {
  const path = textAt(ref, "trajectory_path") ?? (typeof ref === "string" ? ref : null);
  const known = (name: string) => (one: Json) =>
    textAt(ref, name) !== null && textAt(one, name) === textAt(ref, name);
  const inside = IDS.map((name) => reading.inside.find(known(name))).find((one) => one !== undefined);
  if (inside === undefined) return path === null ? null : await loadOnce(path, reading);
  const key = IDS.map((name) => textAt(inside, name)).join("\0");
  if (reading.read.has(key)) return null;
  reading.read.add(key);
  return objectAt(inside);
}

/** The texts of a content; content of other parts as it is. */
function contentOf(content: Json | undefined): Json {
  return contentText(content ?? null) ?? content ?? null;
}
