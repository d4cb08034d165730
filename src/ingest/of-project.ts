import { memberTexts, writeMembers } from "../model/member-texts.ts";
import type { RecordReader } from "./read-load.ts";
import { InvalidRecord } from "./record/invalid-record.ts";

/** A reader of the records of one project: one that names none gets it, and one of another is refused. */
export function ofProject<T extends { readonly projectId: string }>(
  { name, parse }: RecordReader<T>,
  projectId: string,
): RecordReader<T> {
  return {
    name,
    parse: (text, forms) => {
      const record = parseNamed(parse, text, forms, projectId);
      if (record.projectId === projectId) return record;
      throw new InvalidRecord(["project_id"], `must be ${projectId}, which this is sent to`);
    },
  };
}

function parseNamed<T>(
  parse: RecordReader<T>["parse"],
  text: string,
  forms: Parameters<RecordReader<T>["parse"]>[1],
  projectId: string,
): T {
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
