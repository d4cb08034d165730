import type { Json, JsonObject } from "../../../model/json.ts";
import { sumOf } from "../../check/moments.ts";
import { SourceFault } from "../../read/fault.ts";
import { checkMembers, numberAt, objectAt, textAt } from "../../read/members.ts";
import { replaceNoNumbers, withoutNoNumbers } from "../../read/no-numbers.ts";
import type { LogEvaluation, LogPrediction, LogTrial } from "../../translate/log-parts.ts";
import { splitScores } from "../../translate/score-value.ts";
import { dataOf, type LogEvent } from "./read-log.ts";

type Members = { [name: string]: Json };

/** Types of events that are kept as they are. */
const KEPT = ["cond_logp", "pick_option", "function_call", "embedding", "raw_sample", "extra", "error"];
const KNOWN = new Set([...KEPT, "match", "metrics", "sampling"]);

/** Whether events of this type are read. */
export function isKnown(type: string): boolean {
  return KNOWN.has(type);
}

/** The values of a sample's `match` events: 1 or 0. Throws {@link SourceFault}. */
function matchesOf(events: readonly LogEvent[]): number[] {
  return ofType(events, "match").flatMap((event) => {
    const { correct = null } = dataOf(event);
    if (correct === null) return [];
    if (typeof correct !== "boolean" && typeof correct !== "number")
      throw new SourceFault("invalid", `${event.place}, data.correct`, "is not true or false");
    return [Number(correct)];
  });
}

/**
 * Counts matches, and the texts of metrics that are choices: as the tool does, all of a sample. Throws {@link
 * SourceFault}.
 */
export function countEvents(
  events: readonly LogEvent[],
  choices: ReadonlySet<string>,
  count: (name: string, by?: number) => void,
): void {
  for (const value of matchesOf(events)) {
    count("matches");
    count("correct", value);
  }
  for (const [name, value] of ofType(events, "metrics").flatMap((event) => Object.entries(dataOf(event))))
    if (typeof value === "string" && choices.has(name)) {
      count(`texts ${name}`);
      count(`text ${name} ${value}`);
    }
}

/** The events of a sample as a trial; `choices`: metrics whose texts are scores. Throws {@link SourceFault}. */
export function sampleTrial(
  evaluation: LogEvaluation,
  sample: string,
  events: readonly LogEvent[],
  choices: ReadonlySet<string>,
): LogTrial {
  const [first] = events;
  const samplings = ofType(events, "sampling").map(dataOf);
  for (const data of samplings) checkMembers(data, { object: ["usage"] }, first?.place ?? null);
  const times = events.flatMap(({ at }) => (at === null ? [] : [at])).toSorted((a, b) => Number(a - b));
  const startedAt = times[0] ?? null;
  const endedAt = times.at(-1) ?? null;
  return {
    evaluation,
    place: first?.place ?? "events",
    sample,
    identity: { id: sample },
    stable: stablePart(sample, samplings, events),
    output: outputOf(samplings),
    ...scoresOf(events, choices),
    error: errorOf(events),
    startedAt,
    endedAt,
    index: Math.max(0, first?.number ?? 0),
    prediction: predictionOf(evaluation.model, samplings, startedAt, endedAt),
  };
}

function ofType(events: readonly LogEvent[], type: string): LogEvent[] {
  return events.filter((event) => event.type === type);
}

function stablePart(id: string, samplings: readonly JsonObject[], events: readonly LogEvent[]): Json {
  const prompt = samplings[0]?.["prompt"] ?? null;
  if (prompt === null) return { id };
  const [match] = ofType(events, "match");
  const ideal = match === undefined ? undefined : dataOf(match)["expected"];
  return withoutNoNumbers({ id, prompt, ...(ideal === undefined ? {} : { ideal }) });
}

function outputOf(samplings: readonly JsonObject[]): Json {
  const sampled = samplings.at(-1)?.["sampled"] ?? null;
  const list: readonly Json[] = Array.isArray(sampled) ? sampled : [];
  return withoutNoNumbers(list.length === 1 ? (list[0] ?? null) : sampled);
}

/** Several matches of a sample are their mean; of several metrics of one name the last counts. */
function scoresOf(
  events: readonly LogEvent[],
  choices: ReadonlySet<string>,
): Pick<LogTrial, "scores" | "details"> {
  const { scores, details } = metricsOf(ofType(events, "metrics"), choices);
  if (ofType(events, "match").length > 0) {
    if (scores["match"] !== undefined) scores["metrics.match"] = scores["match"];
    const values = matchesOf(events);
    scores["match"] = values.length === 0 ? null : sumOf(values) / values.length;
  }
  for (const type of ["match", ...KEPT]) {
    const data = ofType(events, type).map((event) => readable(event.data));
    if (data.length > 0) details[type] = data.length === 1 ? (data[0] ?? null) : data;
  }
  return { scores, details };
}

/** Numbers, booleans and choices are scores, anything else is kept beside them. */
function metricsOf(events: readonly LogEvent[], choices: ReadonlySet<string>) {
  const values = events.flatMap((event) => Object.entries(dataOf(event)));
  const { scores, details } = splitScores(values, (value, name) => {
    if (typeof value === "string") return choices.has(name) ? value : undefined;
    return typeof value === "number" || typeof value === "boolean" ? Number(value) : undefined;
  });
  const kept: Members = Object.keys(details).length === 0 ? {} : { metrics: readable(details) };
  return { scores, details: kept };
}

function readable(value: Json): Json {
  return replaceNoNumbers(value, (name) => name);
}

function errorOf(events: readonly LogEvent[]): string | null {
  const [failed] = ofType(events, "error");
  if (failed === undefined) return null;
  const { data } = failed;
  if (typeof data === "string") return data;
  const type = textAt(data, "type");
  const message = textAt(data, "message") ?? textAt(data, "msg");
  return [type, message].filter((part) => part !== null).join(": ") || "error";
}

/** The tokens of all samplings by the model that each names. Its time is the sample's. */
function predictionOf(
  model: string,
  samplings: readonly JsonObject[],
  startedAt: bigint | null,
  endedAt: bigint | null,
): LogPrediction {
  const usage: { [name: string]: JsonObject } = {};
  for (const data of samplings) {
    const counts = objectAt(data, "usage");
    const name = textAt(data, "model") ?? model;
    for (const part of Object.keys(counts)) {
      const count = numberAt(counts, part);
      if (count !== null)
        usage[name] = { ...usage[name], [part]: (numberAt(usage[name], part) ?? 0) + count };
    }
  }
  if (startedAt === null || endedAt === null || Object.keys(usage).length === 0) return { usage };
  return { usage, seconds: Number(endedAt - startedAt) / 1e6 };
}
