import { itemTexts, memberTexts, writeMembers } from "../../model/member-texts.ts";
import { NO_DETAILS } from "../../store/scorer-details.ts";
import type { WeaveSeam } from "../request/seam.ts";

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

/** All feedback of a project as {@link listedOutside} has it, that on one reference where it is given. */
export async function* feedbackOutside(
  feedback: Pick<WeaveSeam["feedback"], "listJson">,
  projectId: string,
  svc_ref: string | undefined,
): AsyncGenerator<Map<string, string>, void, undefined> {
  for (let after: string | undefined, more = true; more;) {
    const page = memberTexts(await feedback.listJson(projectId, { svc_ref, after, limit: PAGE }));
    const items = itemTexts(page.get("data") ?? "[]");
    for (const item of items) yield listedOutside(item);
    after = JSON.parse(memberTexts(items.at(-1) ?? "{}").get("id") ?? '""') as string;
    more = page.get("has_more") === "true";
  }
}

const PAGE = 1000;

/** A record of a list, as JSON text, with the names of the SDKs and all that they send beside a payload. */
function listedOutside(text: string): Map<string, string> {
  const outside = recordOutside(text);
  const kept = memberTexts(outside.get("weave") ?? "{}");
  outside.delete("weave");
  for (const [name, empty] of NO_DETAILS) outside.set(name, kept.get(name) ?? empty);
  return outside;
}
