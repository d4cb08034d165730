import type { Json, JsonObject } from "../../../model/json.ts";
import type { ReadContext } from "../../format.ts";
import { noSamples, orRefused, SourceFault } from "../../read/fault.ts";
import { textLines, type TextLine } from "../../read/json-lines.ts";
import type { SourceFile } from "../../read/source-file.ts";
import { textAt } from "../../read/members.ts";
import { readLogLine, type LogEvent, type LogLine } from "./events.ts";

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
