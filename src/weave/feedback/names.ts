import { memberTexts, writeMembers } from "../../model/member-texts.ts";

/** Types with rules of their own have another prefix inside than SDKs give them; all others are the same. */
const FAMILIES = /^(?:reaction\.1|note\.1|annotation\..*|runnable\..*)$/s;

function renamed(type: string, from: string, to: string): string {
  const rest = type.startsWith(from) ? type.slice(from.length) : "";
  return FAMILIES.test(rest) ? to + rest : type;
}

function typeInside(type: string): string {
  return renamed(type, "wandb.", "svc.");
}

function typeOutside(type: string): string {
  return renamed(type, "svc.", "wandb.");
}

/** Members of a record that are the same outside and inside. */
const SAME = [
  "project_id",
  "payload",
  "id",
  "creator",
  "annotation_ref",
  "runnable_ref",
  "call_ref",
  "trigger_ref",
  "queue_id",
] as const;

/** What SDKs always send, and what it is where it says nothing. */
const EXTRAS: ReadonlyMap<string, string> = new Map([
  ["scorer_tags", "[]"],
  ["scorer_ratings", "{}"],
  ["scorer_tag_reasons", "{}"],
  ["scorer_tag_confidences", "{}"],
  ["scorer_rating_reasons", "{}"],
  ["scorer_rating_confidences", "{}"],
  ["span_agent_name", '""'],
  ["span_agent_version", '""'],
  ["span_conversation_id", '""'],
  ["span_trace_id", '""'],
  ["scorer_trace_id", '""'],
  ["span_status_code", '"UNSET"'],
]);

/** The record as it is stored, from the JSON text of one with the names of the SDKs. */
export function recordInside(text: string): string {
  const sent = memberTexts(text);
  const members = new Map<string, string>();
  for (const name of SAME) copy(sent, name, members, name);
  copy(sent, "weave_ref", members, "svc_ref");
  const type = sent.get("feedback_type");
  if (type !== undefined)
    members.set(
      "feedback_type",
      type.startsWith('"') ? JSON.stringify(typeInside(JSON.parse(type) as string)) : type,
    );
  const extras = new Map<string, string>();
  for (const [name, empty] of EXTRAS) {
    const value = sent.get(name) ?? "null";
    if (value !== "null" && value.replace(/\s/g, "") !== empty) extras.set(name, value);
  }
  if (extras.size > 0) members.set("weave", writeMembers(extras));
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
