import { canonicalJson } from "../../model/digest.ts";
import { compactJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { NOTHING, objectMember, readOnce, scorerKey, type CallReading } from "./call-reading.ts";
import { InvalidRecord } from "./invalid-record.ts";
import { attribute, firstPoints, someText } from "./call-attributes.ts";
import { spanRefs } from "./span-refs.ts";
import { readStep, type CallStep } from "./step.ts";
import { memberTexts } from "../../model/member-texts.ts";
import { bytesOfStubs, compactStubs, MOST_INLINE_BYTES, stubsIn } from "../../model/text-stubs.ts";
import { operationName, referencedRowDigest } from "../../model/references.ts";

/** What a trial needs from a call. Small, since batches of calls are held in memory. */
export interface Call {
  readonly id: string;
  readonly parentId: string | null;
  /** Canonical JSON of `op_name`. */
  readonly op: string;
  /** The name part of `op_name`. */
  readonly opName: string;
  /** Microseconds since 1970. */
  readonly startedAt: bigint;
  readonly endedAt: bigint | null;
  /** Canonical JSON of `inputs.self` and `inputs.model`; null when absent. */
  readonly self: string | null;
  readonly model: string | null;
  /** The score key of a score call, null on any other call. */
  readonly scorerKey: string | null;
  readonly hasOutput: boolean;
  /** Whether it ended in an exception. */
  readonly failed: boolean;
  readonly totalTokens: number | null;
  /** JSON text of the spans that it names; null where it names none. */
  readonly spanRefs: string | null;
  /** Why it ended, as its attributes say it. */
  readonly stopReason: string | null;
  /** What makes the call a trial; null on any other call. */
  readonly trial: TrialPart | null;
  /** Whether it has what trials have and is none: below an evaluation, its op name may be one that nobody named. */
  readonly isLikeTrial: boolean;
  /** What it tells of a step; null on a trial, on a root, and on what tells of none. */
  readonly step: CallStep | null;
}

export const IN_RECORD = "in record";

/** A record of so many characters is long. */
const LONG_RECORD = 4 * MOST_INLINE_BYTES;

/** What the trial takes from its predict-and-score call. */
export interface TrialPart {
  readonly example: Example;
  /**
   * Compact JSON of the whole output as UTF-8; null when it is not an object. Bytes spare the garbage collector. Of a
   * long record it is made where it is written, since most of it is cut out before.
   */
  readonly output: Uint8Array | typeof IN_RECORD | null;
  readonly scores: JsonObject;
  readonly latencySeconds: number | null;
  /** Why it ended, as its output says it. */
  readonly stopReason: string | null;
  /** Bytes of the model output where a stub stands instead of it; else null. */
  readonly textBytes: number | null;
}

/** The dataset row of a trial. */
export interface Example {
  /** Compact JSON of `inputs.example`. */
  readonly text: string;
  /** The digest at the end of a dataset-row reference, and the text before it; null for an inline row. */
  readonly reference: { readonly digest: string; readonly prefix: string } | null;
  /** `attributes.row_key`, which then is the row, whatever it holds; null where there is none. */
  readonly key: string | null;
  /** The digest of what the row holds, where `text` is a stub; else null. */
  readonly digest: string | null;
}

/** A record that has the start of its call. */
interface StartedRecord {
  readonly id: string;
  readonly parentId: string | null;
  readonly startedAt: bigint;
  readonly endedAt: bigint | null;
  readonly members: JsonObject;
  readonly text: string;
  /** Whether payloads must be read from the text; see `isFragile`. */
  readonly fragile: boolean;
}

export function readCall(record: StartedRecord, reading: CallReading): Call {
  const { members } = record;
  const inputs = objectMember(members, "inputs");
  const op = typeof members["op_name"] === "string" ? members["op_name"] : "";
  const opName = readOnce(reading.opNames, op, operationName);
  const isTrial = record.parentId !== null && reading.conventions.predictAndScoreOps.includes(opName);
  const attributes = objectMember(members, "attributes");
  const key = scorerKey(attributes, opName, reading);
  if (isTrial) checkDimensions(record, objectMember(members, "output")["scores"], ["output", "scores"]);
  else if (key !== null) checkDimensions(record, members["output"], ["output"]);
  return {
    id: record.id,
    parentId: record.parentId,
    op: readOnce(reading.canonical, op, canonicalJson),
    opName,
    startedAt: record.startedAt,
    endedAt: record.endedAt,
    self: canonicalOrNull(reading, inputs["self"]),
    model: canonicalOrNull(reading, inputs["model"]),
    scorerKey: key,
    hasOutput: (members["output"] ?? null) !== null,
    failed: (members["exception"] ?? "") !== "",
    totalTokens: totalTokens(objectMember(members, "summary")),
    spanRefs: spanRefs(members, reading.conventions.attributeNamespaces),
    stopReason: stopReason(attribute(attributes, STOP_REASON, someText)),
    trial: isTrial ? readTrial(record, inputs, reading.mark) : null,
    isLikeTrial: !isTrial && key === null && record.parentId !== null && isLikeTrial(members, inputs, opName),
    step:
      isTrial || record.parentId === null
        ? null
        : readStep({
            members,
            opName,
            isScore: key !== null,
            namespaces: reading.conventions.attributeNamespaces,
          }),
  };
}

/** Dimensions of one trial: each takes a hundredth of a millisecond to load. */
const MOST_DIMENSIONS = 10_000;
/** As JSON, a dimension has at least so many characters. */
const LEAST_CHARACTERS = 4;

/** Nothing is counted in a record that is too short to have so many. */
function checkDimensions({ text }: StartedRecord, scores: Json | undefined, place: readonly string[]): void {
  if (text.length < MOST_DIMENSIONS * LEAST_CHARACTERS) return;
  let dimensions = 0;
  let level: readonly Json[] = [scores ?? null];
  for (; level.length > 0; level = level.flatMap((one) => (isJsonObject(one) ? Object.values(one) : []))) {
    dimensions += level.filter((one) => !isJsonObject(one)).length;
    if (dimensions > MOST_DIMENSIONS)
      throw new InvalidRecord(place, `must have at most ${MOST_DIMENSIONS} dimensions`);
  }
}

function isLikeTrial(members: JsonObject, inputs: JsonObject, opName: string): boolean {
  if ((inputs["example"] ?? null) !== null) return true;
  return isJsonObject(objectMember(members, "output")["scores"]) || /predict.?and.?score/i.test(opName);
}

function canonicalOrNull({ canonical }: CallReading, value: Json | undefined): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === "string" ? readOnce(canonical, value, canonicalJson) : canonicalJson(value);
}

function readTrial(record: StartedRecord, inputs: JsonObject, mark: string | null): TrialPart {
  const value = record.members["output"] ?? null;
  const output = isJsonObject(value) ? value : NOTHING;
  const scores = output["scores"];
  const said = output["output"] ?? output["model_output"];
  const isCut = mark !== null && typeof said === "string" && said.startsWith(mark);
  const sent = () => (record.fragile ? outputText(record.text) : JSON.stringify(value));
  const isLater = output !== NOTHING && !isCut && record.text.length > LONG_RECORD;
  const text = output === NOTHING || isLater ? null : isCut ? compactStubs(mark, sent()) : sent();
  return {
    example: {
      ...readExample(record, inputs["example"] ?? null, mark),
      key: rowKeyIn(objectMember(record.members, "attributes")),
    },
    output: isLater ? IN_RECORD : text === null ? null : Buffer.from(text, "utf8"),
    scores: isJsonObject(scores) ? scores : NOTHING,
    latencySeconds: reportedLatency(output),
    stopReason: stopReason(someText(output["stop_reason"])),
    textBytes: isCut && text !== null ? bytesOfStubs(mark, text) : null,
  };
}

/** Characters of a row's key. */
export const MOST_IN_KEY = 200;

function rowKeyIn({ row_key: key }: JsonObject): string | null {
  return typeof key === "string" && key.length <= MOST_IN_KEY ? key.toWellFormed() : null;
}

function readExample(record: StartedRecord, value: Json, mark: string | null): Omit<Example, "key"> {
  if (mark !== null && typeof value === "string" && value.startsWith(mark)) {
    const text = compactStubs(mark, JSON.stringify(value));
    return { text, reference: null, digest: stubsIn(mark, text)[0]?.digest ?? null };
  }
  const digest = typeof value === "string" ? referencedRowDigest(value) : null;
  return {
    digest: null,
    text: record.fragile ? fragileExample(record.text) : JSON.stringify(value),
    reference:
      typeof value === "string" && digest !== null
        ? { digest, prefix: value.slice(0, value.length - digest.length) }
        : null,
  };
}

function fragileExample(record: string): string {
  const inputs = memberTexts(record).get("inputs") ?? "null";
  return compactJson(inputs === "null" ? inputs : (memberTexts(inputs).get("example") ?? "null"));
}

/** The output of a record as compact JSON; long integers and the order of members stay as they were sent. */
export function outputText(record: string): string {
  return compactJson(memberTexts(record).get("output") ?? "null");
}

const STOP_REASON = ["evalcube.stop_reason"];
const MOST_IN_REASON = 200;

function stopReason(text: string | null): string | null {
  return text === null ? null : firstPoints(text, MOST_IN_REASON);
}

/** The number `model_latency.mean` or `model_latency` of an output, null when there is none. */
function reportedLatency(output: JsonObject): number | null {
  const latency = output["model_latency"];
  const value = isJsonObject(latency) ? latency["mean"] : latency;
  return typeof value === "number" || typeof value === "bigint" ? finite(Number(value)) : null;
}

/** JSON can spell numbers beyond the range of a double. */
function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

/** By start, then by id as UTF-8. */
export function compareCalls(a: Pick<Call, "startedAt" | "id">, b: typeof a): number {
  if (a.startedAt !== b.startedAt) return a.startedAt < b.startedAt ? -1 : 1;
  return Buffer.compare(Buffer.from(a.id), Buffer.from(b.id));
}

/** The sum of the `summary.usage.<model>.total_tokens` that are numbers of 0 or more, null when there is none. */
function totalTokens(summary: JsonObject): number | null {
  const usage = summary["usage"];
  if (!isJsonObject(usage)) return null;
  let total: number | null = null;
  for (const model of Object.values(usage)) {
    const tokens = isJsonObject(model) ? model["total_tokens"] : undefined;
    if ((typeof tokens === "number" || typeof tokens === "bigint") && tokens >= 0)
      total = (total ?? 0) + Number(tokens);
  }
  return total === null ? null : finite(total);
}
