import { memberTexts, writeMembers } from "../../model/member-texts.ts";

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
export function partText(sent: string, { kind, userId, ids }: PartOptions): string {
  const members = memberTexts(sent);
  for (const [name, value] of members) if (value === "null") members.delete(name);
  for (const name of kind === "start" ? OF_END : kind === "end" ? OF_START : []) members.delete(name);
  for (const name of TEXTS) keepText(members, name);
  members.delete("deleted_at");
  members.delete("wb_user_id");
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
