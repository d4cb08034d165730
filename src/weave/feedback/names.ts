import { memberTexts, writeMembers } from "../../model/member-texts.ts";
import { NO_DETAILS } from "../../store/scorer-details.ts";
import type { FeedbackSelection, WeaveSeam } from "../request/seam.ts";

/** Types with rules of their own have another prefix inside than SDKs give them; all others are the same. */
const FAMILIES = /^(?:reaction\.1|note\.1|annotation\..*|runnable\..*)$/s;

function renamed(type: string, from: string, to: string): string {
  const rest = type.startsWith(from) ? type.slice(from.length) : "";
  return FAMILIES.test(rest) ? to + rest : type;
}

export function typeInside(type: string): string {
  return renamed(type, "wandb.", "svc.");
}

function typeOutside(type: string): string {
  return renamed(type, "svc.", "wandb.");
}

/** Members of a record that are the same outside and inside. */
const SAME: readonly string[] = [
  "project_id",
  "payload",
  "id",
  "creator",
  "annotation_ref",
  "runnable_ref",
  "call_ref",
  "trigger_ref",
  "queue_id",
  ...NO_DETAILS.keys(),
];

/**
 * The record as it is stored, from the JSON text of one with the names of the SDKs; `also`: members beside those of a
 * record.
 */
export function recordInside(text: string, also: readonly string[] = []): string {
  const sent = memberTexts(text);
  const members = new Map<string, string>();
  for (const name of [...SAME, ...also]) copy(sent, name, members, name);
  copy(sent, "weave_ref", members, "svc_ref");
  const type = sent.get("feedback_type");
  if (type !== undefined)
    members.set(
      "feedback_type",
      type.startsWith('"') ? JSON.stringify(typeInside(JSON.parse(type) as string)) : type,
    );
  return writeMembers(members);
}

function copy(from: ReadonlyMap<string, string>, name: string, to: Map<string, string>, as: string): void {
  const value = from.get(name);
  if (value !== undefined) to.set(as, value);
}

/** A stored or created record, as JSON text, with the names of the SDKs. */
export function recordOutside(text: string): Map<string, string> {
  const members = memberTexts(text);
  const outside = new Map<string, string>();
  for (const [name, value] of members) {
    if (name === "svc_ref") outside.set("weave_ref", value);
    else if (name === "svc_user_id") outside.set("wb_user_id", value);
    else if (name === "feedback_type")
      outside.set(name, JSON.stringify(typeOutside(JSON.parse(value) as string)));
    else outside.set(name, value);
  }
  return outside;
}

/** The selected feedback of a project as {@link listedOutside} has it. */
export async function* feedbackOutside(
  feedback: Pick<WeaveSeam["feedback"], "eachJson">,
  projectId: string,
  selection: FeedbackSelection,
): AsyncGenerator<Map<string, string>, void, undefined> {
  for await (const item of feedback.eachJson(projectId, selection)) yield listedOutside(item);
}

/** The text of a member of a record, empty where it is none. */
export function textIn(record: ReadonlyMap<string, string>, name: string): string {
  const text = record.get(name) ?? "";
  return text.startsWith('"') ? (JSON.parse(text) as string) : "";
}

/** Whether a type begins like this, in either spelling. */
export function isTypeLike(type: string, beginning: string): boolean {
  return [typeInside(type), typeOutside(type)].some((one) => one.startsWith(beginning));
}

/** A record of a list, as JSON text, with the names of the SDKs and all that they send beside a payload. */
function listedOutside(text: string): Map<string, string> {
  const outside = recordOutside(text);
  const kept = memberTexts(outside.get("weave") ?? "{}");
  outside.delete("weave");
  for (const [name, empty] of NO_DETAILS) outside.set(name, kept.get(name) ?? empty);
  return outside;
}
