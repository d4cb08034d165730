import { memberTexts, writeMembers } from "../../model/member-texts.ts";
import { replaceStubs } from "../../model/text-stubs.ts";
import type { CallReading } from "../record/call-reading.ts";
import { parseCallRecord, type ParsedCall } from "../record/call-record.ts";
import { readText } from "../record/record-text.ts";

/** A record in which stubs may stand, with the step that it tells of as its long texts say it. */
export async function withWholeStep(
  record: ParsedCall,
  reading: CallReading,
  whole: ((text: string) => Promise<string>) | undefined,
): Promise<ParsedCall> {
  const { mark } = reading;
  const call = record.call ?? null;
  if (mark === null || whole === undefined || call?.parentId == null || call.trial !== null) return record;
  const text = readText(record.text);
  if (!text.includes(mark)) return record;
  const members = memberTexts(text);
  const inputs = members.get("inputs");
  // Of inputs the arguments of tools are read alone.
  if (call.step?.operation !== "execute_tool" && inputs !== undefined)
    members.set(
      "inputs",
      replaceStubs(mark, inputs, () => "null"),
    );
  const short = writeMembers(members);
  if (!short.includes(mark)) return record;
  const step = parseCallRecord(await whole(short), reading).call?.step ?? null;
  return { ...record, call: { ...call, step } };
}
