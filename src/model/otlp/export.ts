import { isJsonObject, type Json, type JsonObject } from "../json.ts";

/** A span of an export. */
export interface Span {
  /** In hexadecimal, in lower case. */
  readonly trace: string;
  readonly id: string;
  readonly parent: string | null;
  readonly name: string;
  /** In microseconds since 1970; the end is null where the span has none. */
  readonly startedAt: bigint;
  readonly endedAt: bigint | null;
  readonly attributes: JsonObject;
  readonly resource: JsonObject;
  /** Whether its status is an error. */
  readonly failed: boolean;
  /** What its status says of that. */
  readonly message: string | null;
  /** Its kind, events and links as they were sent, where there are any. */
  readonly rest: JsonObject;
}

/** A score as an event or a log record tells it. */
export interface ToldScore {
  /** Null where it does not say which. */
  readonly trace: string | null;
  readonly span: string | null;
  /** The answer of a model that it is of. */
  readonly response: string | null;
  readonly name: string;
  /** Null where nothing was found. */
  readonly value: Json;
  readonly details: JsonObject;
  /** In microseconds since 1970. */
  readonly at: bigint;
  readonly resource: JsonObject;
}

/** What an export holds; `refused` hears what of it cannot be read, by its place. */
interface ExportParts {
  readonly span: (span: Span) => void;
  readonly score: (score: ToldScore) => void;
  /** A log record that is no score. */
  readonly other: () => void;
  readonly refused: (place: string, why: string) => void;
}

/** Names of the lists of an export: of each resource, of each scope, and of what these hold. */
const LISTS = [
  { resources: "resourceSpans", scopes: "scopeSpans", items: "spans", read: readSpan },
  { resources: "resourceLogs", scopes: "scopeLogs", items: "logRecords", read: readRecord },
] as const;

/** Reads an export in its JSON form. */
export function readExport(value: JsonObject, at: string, parts: ExportParts): void {
  for (const { resources, scopes, items, read } of LISTS)
    for (const [group, placeOf] of listed(value, resources, at, parts)) {
      const resource = attributesOf(isJsonObject(group["resource"]) ? group["resource"] : {});
      for (const [scope, inScope] of inside(group, scopes, placeOf, parts))
        for (const [item, place] of inside(scope, items, inScope, parts)) {
          const why = read(item, resource, parts);
          if (why !== null) parts.refused(place, why);
        }
    }
}

/** The objects of a list, with their places. */
function listed(
  value: JsonObject,
  name: string,
  at: string,
  { refused }: ExportParts,
): (readonly [JsonObject, string])[] {
  const list = value[name] ?? [];
  const here = at === "" ? name : `${at}.${name}`;
  if (!Array.isArray(list)) refused(here, "is no list");
  return (Array.isArray(list) ? (list as readonly Json[]) : []).flatMap((one, i) => {
    const place = `${here}[${i}]`;
    if (isJsonObject(one)) return [[one, place] as const];
    refused(place, "is not an object");
    return [];
  });
}

const BESIDE: ReadonlySet<string> = new Set(["resource", "scope", "schemaUrl"]);

/** As {@link listed}, of a group, which holds nothing else: what older senders name otherwise is refused. */
function inside(
  group: JsonObject,
  name: string,
  at: string,
  parts: ExportParts,
): (readonly [JsonObject, string])[] {
  const other = Object.keys(group).find((one) => group[one] != null && !BESIDE.has(one));
  if (group[name] == null && other !== undefined) parts.refused(at, `has ${other} and no ${name}`);
  return listed(group, name, at, parts);
}

const isEmpty = (value: Json) => value === null || (Array.isArray(value) && value.length === 0);

/** What is kept of a span as it was sent. */
export function restOf({ kind = null, events = null, links = null }: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries({ kind, events, links }).filter(([, value]) => !isEmpty(value)));
}

/** Tells a span and the scores among its events; answers why it cannot be read, else null. */
function readSpan(one: JsonObject, resource: JsonObject, parts: ExportParts): string | null {
  const [trace, id] = [hexadecimal(one["traceId"], 32), hexadecimal(one["spanId"], 16)];
  if (trace === null) return "has no traceId of 32 hexadecimal digits";
  if (id === null) return "has no spanId of 16 hexadecimal digits";
  const startedAt = timeOf(one["startTimeUnixNano"]);
  if (startedAt === null) return "has no startTimeUnixNano";
  const status = isJsonObject(one["status"]) ? one["status"] : {};
  const { code, message } = status;
  parts.span({
    trace,
    id,
    parent: hexadecimal(one["parentSpanId"], 16),
    name: textOf(one["name"]) ?? "span",
    startedAt,
    endedAt: timeOf(one["endTimeUnixNano"]),
    attributes: attributesOf(one),
    resource,
    failed: code === 2 || code === "STATUS_CODE_ERROR",
    message: textOf(message),
    rest: restOf(one),
  });
  const { events } = one;
  for (const event of Array.isArray(events) ? (events as readonly Json[]) : [])
    if (isJsonObject(event)) tellScore(event, { trace, span: id }, resource, parts);
  return null;
}

function readRecord(one: JsonObject, resource: JsonObject, parts: ExportParts): string | null {
  const of = { trace: hexadecimal(one["traceId"], 32), span: hexadecimal(one["spanId"], 16) };
  if (!tellScore(one, of, resource, parts)) parts.other();
  return null;
}

const SCORE = "gen_ai.evaluation.result";

/** Tells the score that an event or a log record is; answers whether it is one. */
function tellScore(
  one: JsonObject,
  of: Pick<ToldScore, "trace" | "span">,
  resource: JsonObject,
  parts: ExportParts,
): boolean {
  const attributes = attributesOf(one);
  const named = [one["eventName"], one["name"], attributes["event.name"]];
  const name = textOf(attributes["gen_ai.evaluation.name"]);
  if (!named.includes(SCORE) || name === null) return false;
  const label = attributes["gen_ai.evaluation.score.label"] ?? null;
  const explanation = attributes["gen_ai.evaluation.explanation"] ?? null;
  const error = attributes["error.type"] ?? null;
  parts.score({
    ...of,
    response: textOf(attributes["gen_ai.response.id"]),
    name,
    value: error === null ? (attributes["gen_ai.evaluation.score.value"] ?? label) : null,
    details: Object.fromEntries(
      Object.entries({ label, explanation, error }).filter(([, value]) => value !== null),
    ),
    at: timeOf(one["timeUnixNano"]) ?? timeOf(one["observedTimeUnixNano"]) ?? 0n,
    resource,
  });
  return true;
}

/** The attributes of a span, an event or a resource by their names. */
function attributesOf({ attributes }: JsonObject): JsonObject {
  const found = Array.isArray(attributes) ? (attributes as readonly Json[]) : [];
  return Object.fromEntries(found.flatMap(memberOf));
}

function memberOf(one: Json): (readonly [string, Json])[] {
  if (!isJsonObject(one) || typeof one["key"] !== "string") return [];
  return [[one["key"], valueOf(one["value"] ?? null)]];
}

/** The value that a typed value stands for. */
function valueOf(typed: Json): Json {
  if (!isJsonObject(typed)) return null;
  const { intValue, doubleValue, arrayValue, kvlistValue } = typed;
  if (intValue != null) return integerOf(intValue);
  if (doubleValue != null) return doubleOf(doubleValue);
  if (isJsonObject(arrayValue)) return itemsOf(arrayValue).map(valueOf);
  if (isJsonObject(kvlistValue)) return Object.fromEntries(itemsOf(kvlistValue).flatMap(memberOf));
  return typed["stringValue"] ?? typed["boolValue"] ?? typed["bytesValue"] ?? null;
}

const itemsOf = ({ values }: JsonObject) => (Array.isArray(values) ? (values as readonly Json[]) : []);

/** 64-bit numbers are texts. */
function integerOf(value: Json): Json {
  const whole = wholeOf(value);
  return whole === null ? null : Number.isSafeInteger(Number(whole)) ? Number(whole) : whole;
}

/** What is no number of JSON is a text: `NaN`. */
function doubleOf(value: Json): Json {
  const number = typeof value === "string" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : null;
}

function wholeOf(value: Json | undefined): bigint | null {
  if (typeof value === "bigint") return value;
  if (typeof value === "number") return Number.isInteger(value) ? BigInt(value) : null;
  return typeof value === "string" && /^[+-]?\d{1,20}$/.test(value) ? BigInt(value) : null;
}

/** Nanoseconds since 1970 as microseconds; 0 is no time. */
function timeOf(value: Json | undefined): bigint | null {
  const time = wholeOf(value);
  return time === null || time <= 0n ? null : time / 1000n;
}

function hexadecimal(value: Json | undefined, digits: number): string | null {
  if (typeof value !== "string" || value.length !== digits || !/^[0-9a-f]+$/i.test(value)) return null;
  return /^0+$/.test(value) ? null : value.toLowerCase();
}

function textOf(value: Json | undefined): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
