import type { ReadContext } from "../../format.ts";
import { noSamples, orRefused, SourceFault } from "../../read/fault.ts";
import { parseLine, type TextLine, textLines } from "../../read/json-lines.ts";
import { expectObject, numberAt, textAt } from "../../read/members.ts";
import type { SourceFile } from "../../read/source-file.ts";
import { readTime } from "../../translate/times.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../model/json.ts";

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
type LogLine =
  | { readonly kind: "spec"; readonly spec: JsonObject }
  | { readonly kind: "report"; readonly report: Json }
  | { readonly kind: "event"; readonly event: LogEvent };

/** Reads a line. Throws {@link SourceFault}. */
function readLogLine(line: TextLine): LogLine {
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

/** What a log says of its run, and how many events each sample has. */
export interface LogSurvey {
  readonly spec: JsonObject | null;
  readonly runId: string;
  /** The last one; null where the run did not come to its end. */
  readonly report: Json;
  readonly samples: ReadonlyMap<string, number>;
  /** Events of no sample. */
  readonly apart: number;
}

/** No further sample is begun while more than this is held of those that are not complete. */
const MOST_HELD_BYTES = 64 * 1024 * 1024;

/** Reads a log for its run. Throws {@link SourceFault}. */
export async function surveyLog(file: SourceFile, context: ReadContext): Promise<LogSurvey> {
  const samples = new Map<string, number>();
  let spec: JsonObject | null = null;
  let runId: string | null = null;
  let report: Json = null;
  let apart = 0;
  const survey = (line: TextLine) => {
    const read = readLogLine(line);
    if (read.kind === "report") report = read.report;
    else runId = sameRun(runId, runIdOf(read), `line ${line.line}`);
    if (read.kind === "spec") spec ??= read.spec;
    if (read.kind !== "event") return;
    const { sample } = read.event;
    if (sample === null) apart++;
    else samples.set(sample, (samples.get(sample) ?? 0) + 1);
  };
  for await (const line of textLines(file.bytes()))
    orRefused(() => survey(line), `line ${line.line}`, context.refuse);
  if (samples.size === 0 && context.refused() === 0)
    throw noSamples("holds no events of samples; there is nothing to import");
  if (runId === null) throw new SourceFault("unsupported_version", null, "lacks a run_id");
  return { spec, runId, report, samples, apart };
}

function runIdOf(read: LogLine): string | null {
  if (read.kind === "event") return read.event.runId;
  return read.kind === "spec" ? textAt(read.spec, "run_id") : null;
}

function sameRun(known: string | null, found: string | null, place: string): string | null {
  if (known === null || found === null || known === found) return known ?? found;
  throw new SourceFault(
    "invalid",
    place,
    `belongs to the run ${found}, lines before it to the run ${known}; a file is one run`,
  );
}

/** The events of each sample in the order of their numbers, as soon as all of them were read. */
export async function* sampleEvents(
  file: SourceFile,
  { samples, runId }: LogSurvey,
): AsyncGenerator<readonly LogEvent[]> {
  let waiting: ReadonlySet<string> = new Set(samples.keys());
  while (waiting.size > 0) {
    const later = new Set<string>();
    const open = new Map<string, { readonly events: LogEvent[]; bytes: number }>();
    let held = 0;
    for await (const line of textLines(file.bytes())) {
      const event = soundEvent(() => readLogLine(line), runId);
      const sample = event?.sample ?? null;
      if (event === null || sample === null || !waiting.has(sample) || later.has(sample)) continue;
      if (held > MOST_HELD_BYTES && !open.has(sample)) {
        later.add(sample);
        continue;
      }
      const own = open.get(sample) ?? { events: [], bytes: 0 };
      open.set(sample, own);
      own.events.push(event);
      own.bytes += line.bytes.length;
      held += line.bytes.length;
      if (own.events.length < (samples.get(sample) ?? 0)) continue;
      open.delete(sample);
      held -= own.bytes;
      yield own.events.toSorted((a, b) => a.number - b.number);
    }
    waiting = later;
  }
}

/** An event that was not refused when the log was read first. */
function soundEvent(read: () => LogLine, run: string): LogEvent | null {
  try {
    const line = read();
    return line.kind === "event" && (line.event.runId ?? run) === run ? line.event : null;
  } catch (error) {
    if (error instanceof SourceFault) return null;
    throw error;
  }
}
