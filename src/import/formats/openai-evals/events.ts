import { isJsonObject, type Json, type JsonObject } from "../../../model/json.ts";
import { SourceFault } from "../../read/fault.ts";
import { parseLine, type TextLine } from "../../read/json-lines.ts";
import { expectObject, numberAt, textAt } from "../../read/members.ts";
import { readTime } from "../../translate/times.ts";

/** An event of a sample. */
export interface LogEvent {
  readonly place: string;
  /** Its number in the run; its line where it has none. */
  readonly number: number;
  readonly runId: string | null;
  /** Null for an event of the whole run. */
  readonly sample: string | null;
  readonly type: string;
  readonly data: Json;
  /** Microseconds since 1970; null where it has no time. */
  readonly at: bigint | null;
}

/** What a line of a log is. */
export type LogLine =
  | { readonly kind: "spec"; readonly spec: JsonObject }
  | { readonly kind: "report"; readonly report: Json }
  | { readonly kind: "event"; readonly event: LogEvent };

/** Reads a line. Throws {@link SourceFault}. */
export function readLogLine(line: TextLine): LogLine {
  const place = `line ${line.line}`;
  const record = expectObject(parseLine(line), place);
  const { spec, final_report: report } = record;
  if (spec !== undefined && !isEvent(record)) return { kind: "spec", spec: expectObject(spec, place) };
  if (report !== undefined && !isEvent(record)) return { kind: "report", report };
  if (isEvent(record)) return { kind: "event", event: eventOf(record, place, line.line) };
  throw new SourceFault("invalid", place, "is neither a spec nor a final report nor an event");
}

function isEvent(record: JsonObject): boolean {
  return typeof record["type"] === "string" && "data" in record;
}

function eventOf(record: JsonObject, place: string, line: number): LogEvent {
  const { sample_id: sample, type, data = null, created_at: at } = record;
  const named = sample ?? null;
  if (named !== null && typeof named !== "string" && typeof named !== "number")
    throw new SourceFault("invalid", `${place}, sample_id`, "is no text");
  const time = readTime(at);
  if (time === null && at !== undefined && at !== null)
    throw new SourceFault("invalid", `${place}, created_at`, "is no time");
  return {
    place,
    number: numberAt(record, "event_id") ?? line,
    runId: textAt(record, "run_id"),
    sample: named === null ? null : String(named),
    type: typeof type === "string" ? type : "",
    data,
    at: time,
  };
}

/** The members of an event's data. Throws {@link SourceFault}. */
export function dataOf({ data, place }: LogEvent): JsonObject {
  if (isJsonObject(data)) return data;
  throw new SourceFault("invalid", `${place}, data`, "is not an object");
}
