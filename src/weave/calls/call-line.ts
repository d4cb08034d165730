import {
  isJsonObject,
  parseAnyJson,
  parseJson,
  writeJson,
  type Json,
  type JsonObject,
} from "../../model/json.ts";
import { memberTexts, writeMembers } from "../../model/member-texts.ts";
import { operationName } from "../../model/references.ts";
import { formatTimestamp, parseTimestamp } from "../../model/timestamp.ts";

/** Members that every line has, null where the call has none. */
const ALWAYS = ["id", "project_id", "trace_id", "op_name", "started_at"] as const;
const OFTEN = [
  "ended_at",
  "parent_id",
  "display_name",
  "thread_id",
  "turn_id",
  "output",
  "exception",
  "wb_user_id",
  "wb_run_id",
  "wb_run_step",
  "wb_run_step_end",
  "otel_dump",
] as const;

/** The members of a call as an SDK reads them, as JSON texts. */
export type Line = ReadonlyMap<string, string>;

/** The line of a stored call; `feedback`: the JSON text of a list. */
export function lineMembers(record: string, feedback: string | null): Line {
  const members = memberTexts(record);
  const line = new Map<string, string>();
  for (const name of [...ALWAYS, ...OFTEN]) line.set(name, members.get(name) ?? "null");
  for (const name of ["attributes", "inputs"]) line.set(name, objectText(members.get(name)));
  line.set("deleted_at", "null");
  const summary = memberTexts(objectText(members.get("summary")));
  line.set("summary", writeMembers(summary.set("weave", weaveSummary(members, summary, feedback))));
  return line;
}

function objectText(text: string | undefined): string {
  return text?.startsWith("{") === true ? text : "{}";
}

function weaveSummary(
  members: ReadonlyMap<string, string>,
  summary: ReadonlyMap<string, string>,
  feedback: string | null,
): string {
  const [started, ended] = [timeOf(members.get("started_at")), timeOf(members.get("ended_at"))];
  const exception = parseJson(members.get("exception") ?? "null") ?? "";
  const known = {
    status: ended === null && exception === "" ? "running" : statusOf(exception !== "", summary),
    trace_name: operationName(textOf(parseJson(members.get("op_name") ?? "null"))),
    latency_ms: started === null || ended === null ? null : Number(ended - started) / 1000,
  };
  const sent = memberTexts(objectText(summary.get("weave")));
  for (const [name, text] of memberTexts(writeJson(known))) sent.set(name, text);
  return writeMembers(feedback === null ? sent : sent.set("feedback", feedback));
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function statusOf(failed: boolean, summary: ReadonlyMap<string, string>): string {
  if (failed) return "error";
  const counts = parseJson(summary.get("status_counts") ?? "null");
  const errors = isJsonObject(counts) ? counts["error"] : 0;
  return typeof errors === "number" && errors > 0 ? "descendant_error" : "success";
}

function timeOf(text: string | undefined): bigint | null {
  const value = text === undefined ? null : parseJson(text);
  return typeof value === "string" ? parseTimestamp(value) : null;
}

/** Members without which an SDK cannot read a line. Where they are not asked for, no long text is read for them. */
const UNASKED: ReadonlySet<string> = new Set(["inputs", "attributes"]);

/** The line with the wanted columns; `mark`: what the stubs begin with that stand instead of long texts. */
export function writeLine(line: Line, columns: readonly string[] | null, mark: string | undefined): string {
  if (columns === null) return writeMembers(line);
  const wanted = new Set<string>([...ALWAYS, ...columns.map(rootOf)]);
  const members = [...line].flatMap(([name, text]): [string, string][] => {
    if (wanted.has(name)) return [[name, text]];
    if (!UNASKED.has(name)) return [];
    return [[name, mark !== undefined && text.includes(mark) ? "{}" : text]];
  });
  return writeMembers(new Map(members));
}

function rootOf(column: string): string {
  return column.split(".", 1)[0] ?? column;
}

/** The call as conditions and orders read it, its times in UTC: their texts then have the order of time. */
export async function lineValue(line: Line): Promise<JsonObject> {
  const call: { [name: string]: Json } = {};
  for (const [name, text] of line) call[name] = await parseAnyJson(text);
  for (const name of ["started_at", "ended_at"]) {
    const time = timeOf(line.get(name));
    if (time !== null) call[name] = formatTimestamp(time);
  }
  return call;
}
