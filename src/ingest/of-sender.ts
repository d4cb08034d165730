import { memberTexts, writeMembers } from "../model/member-texts.ts";
import type { Sender } from "./load.ts";
import { DELETER, USER } from "./merge/merge-records.ts";
import type { RecordReader } from "./read-load.ts";
import type { ParsedCall } from "./record/call-record.ts";
import type { ParsedRow } from "./record/dataset-row-record.ts";
import { InvalidRecord } from "./record/invalid-record.ts";
import { readText } from "./record/record-text.ts";

type Parsed = ParsedCall | ParsedRow;

/** A reader of what one sender may store. */
export function ofSender({ name, parse }: RecordReader<Parsed>, sender: Sender): RecordReader<Parsed> {
  return {
    name,
    parse: (text, forms) => {
      const record = parseNamed(parse, text, forms, sender.projectId);
      if (record.projectId !== sender.projectId)
        throw new InvalidRecord(["project_id"], `must be ${sender.projectId}, which this is sent to`);
      return "deleted" in record ? callOf(record, sender) : record;
    },
  };
}

/** A reader of what a user stores who is not to be doubted: what records say of users stands. */
export function ofUser({ name, parse }: RecordReader<Parsed>, user: string): RecordReader<Parsed> {
  return {
    name,
    parse: (text, forms) => {
      const record = parse(text, forms);
      if (!("deleted" in record)) return record;
      const isRoot = record.parentId === null && record.columns.opName !== null;
      return isRoot || record.deleted ? withUser(record, user, false) : record;
    },
  };
}

function callOf(call: ParsedCall, { user, mayDelete }: Sender): ParsedCall {
  if (call.deleted && !mayDelete) throw new InvalidRecord(["deleted_at"], "needs a key that can admin");
  return withUser(call, user, true);
}

/** A call that says who stored it, or hides it. */
function withUser(call: ParsedCall, user: string, isForced: boolean): ParsedCall {
  const members = memberTexts(readText(call.text));
  const said = JSON.stringify(user);
  if (isForced) for (const name of [USER, DELETER]) members.delete(name);
  // A record that hides a call and says nothing else stores none.
  const names = [
    ...(call.columns.opName !== null || !call.deleted ? [USER] : []),
    ...(call.deleted ? [DELETER] : []),
  ];
  for (const name of names) if ((members.get(name) ?? "null") === "null") members.set(name, said);
  return { ...call, text: writeMembers(members) };
}

/** A record without a project is one of this project. */
function parseNamed(
  parse: RecordReader<Parsed>["parse"],
  text: string,
  forms: Parameters<RecordReader<Parsed>["parse"]>[1],
  projectId: string,
): Parsed {
  try {
    return parse(text, forms);
  } catch (error) {
    const isMissing =
      error instanceof InvalidRecord && error.reason === "is required" && error.path[0] === "project_id";
    if (!isMissing) throw error;
    const named = writeMembers(memberTexts(text).set("project_id", JSON.stringify(projectId)));
    const { members: _members, bytes: _bytes, ...others } = forms;
    return parse(named, others);
  }
}
