import { memberTexts, writeMembers } from "../model/member-texts.ts";
import type { Sender } from "./load.ts";
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

function callOf(call: ParsedCall, { user, mayDelete }: Sender): ParsedCall {
  if (call.deleted && !mayDelete) throw new InvalidRecord(["deleted_at"], "needs a key that can admin");
  const members = memberTexts(readText(call.text)).set("wb_user_id", JSON.stringify(user));
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
