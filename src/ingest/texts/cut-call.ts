import { keyDigest, rowDigest } from "../../model/digest.ts";
import { compactText, parseJson } from "../../model/json.ts";
import { lineOfStart, outputLineOf } from "../../model/one-line.ts";
import { QUOTE } from "../../model/read-json.ts";
import { memberPlaces } from "../../model/member-texts.ts";
import { MOST_INLINE_BYTES, stubsIn, writeStub, type Stub } from "../../model/text-stubs.ts";
import type { Call } from "../record/call.ts";
import type { CallReading } from "../record/call-reading.ts";
import { parseCallRecord, type ParsedCall } from "../record/call-record.ts";
import { isLong, readText } from "../record/record-text.ts";
import { hashOf, keepText, type TextCutter } from "./text-cutter.ts";

/** Where a long text stands in a record, and what it is of a trial. */
interface TextPlace {
  readonly start: number;
  readonly end: number;
  readonly of: "trial output" | "trial row" | null;
}

/** What is known of a call, but for the record. */
interface CutContext {
  readonly reading: CallReading;
  readonly projectKey: number;
  /** The call as it is stored, null where it is not; of a part of a call it tells what the call is. */
  readonly earlier: { readonly call: Call | null; readonly text: string } | null;
  /** The stub of the inline example of the row with this digest; null where there is none. */
  readonly exampleOf: (digest: string) => Promise<Stub | null>;
}

/** The record with stubs instead of its long texts; texts that the stored call has keep their keys. */
export async function cutCall(
  cutter: TextCutter,
  record: ParsedCall,
  context: CutContext,
): Promise<ParsedCall> {
  const { reading, earlier } = context;
  const call = record.call ?? earlier?.call ?? null;
  if (call === null || !isLong(record.text)) return record;
  const all = typeof record.text === "string" ? Buffer.from(record.text) : record.text;
  // A character a byte, so that places are those of bytes; all that JSON is made of is ASCII.
  const text = latin1Of(all);
  const places = [...longTexts(text, call)];
  if (places.length === 0) return record;
  const known = new Map(stubsIn(cutter.mark, earlier?.text ?? "").map((one) => [one.hash, one]));
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const { start, end, of } of places.toSorted((a, b) => a.start - b.start)) {
    const raw = all.subarray(start, end);
    const same = known.size === 0 ? null : (known.get(hashOf(raw)) ?? null);
    const stub = same ?? (await stubOf(cutter, raw, of, record.call, context));
    parts.push(all.subarray(at, start), Buffer.from(writeStub(cutter.mark, stub)));
    at = end;
  }
  const cut = Buffer.concat([...parts, all.subarray(at)]).toString("utf8");
  const read = record.call === null ? null : parseCallRecord(cut, reading).call;
  return { ...record, text: cut, call: read && { ...read, step: call.step } };
}

function latin1Of(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
}

async function stubOf(
  cutter: TextCutter,
  raw: Uint8Array,
  of: TextPlace["of"],
  call: Call | null,
  { projectKey, exampleOf }: CutContext,
): Promise<Stub> {
  if (of === null) return keepText(cutter, raw);
  if (of === "trial output") {
    const compact = compactBytes(raw);
    return { ...withCompact(cutter, raw, compact, null), line: lineOf(compact).toWellFormed() };
  }
  const text = call?.trial?.example.text ?? compactText(readText(raw));
  const compact = Buffer.from(text);
  const digest = rowDigest(parseJson(text));
  const key = call?.trial?.example.key ?? null;
  const row = key === null ? digest : keyDigest(key);
  const name = `${projectKey}:${row}`;
  const known = cutter.ofRows.get(name) ?? (await exampleOf(row));
  const stub = { ...withCompact(cutter, raw, compact, known), digest };
  if (known === null) {
    const { hash } = stub.compact === null ? stub : { hash: hashOf(compact) };
    cutter.ofRows.set(name, { key: stub.compact?.key ?? stub.key, hash });
  }
  return stub;
}

/** Keeps a text as it was sent, and in the spelling of trials and rows where that is another. */
function withCompact(
  cutter: TextCutter,
  raw: Uint8Array,
  compact: Uint8Array,
  known: Pick<Stub, "key" | "hash"> | null,
): Stub {
  if (raw === compact || Buffer.compare(raw, compact) === 0) return keepText(cutter, raw, known);
  const { key, bytes, head } = keepText(cutter, compact, known);
  return { ...keepText(cutter, raw), compact: { key, bytes }, head };
}

/** The text in the one spelling; the same bytes where it is in that, as strings without rare escapes are. */
function compactBytes(raw: Uint8Array): Uint8Array {
  return raw[0] === QUOTE && !/\\[u/]/.test(latin1Of(raw)) ? raw : Buffer.from(compactText(readText(raw)));
}

/** Bytes of an output in which its line mostly is. */
const LINE_BYTES = 256 * 1024;

function lineOf(output: Uint8Array): string {
  const start = readText(output.subarray(0, LINE_BYTES));
  return (output[0] === QUOTE ? lineOfStart(start) : null) ?? outputLineOf(readText(output));
}

/** Members that say what a call is stay where they are, however long. */
const KEPT: ReadonlySet<string> = new Set([
  "self",
  "this",
  "model",
  "dataset",
  "genai_span_ref",
  "stop_reason",
  "evalcube.stop_reason",
]);

const ROOT_OP = "Evaluation.evaluate";

/** Of a text with a character a byte. */
function isLongHere({ length }: string): boolean {
  return length > MOST_INLINE_BYTES;
}

/** What of a record is long. Scores stay where they are, and so does all that a root says of its evaluation. */
function* longTexts(text: string, call: Call): Generator<TextPlace> {
  if (call.opName === ROOT_OP) return;
  const members = new Map(memberPlaces(text).map((one) => [one.name, one]));
  for (const name of ["inputs", "output", "attributes", "summary"]) {
    const member = members.get(name);
    if (member === undefined) continue;
    const { start, end } = member;
    const value = text.slice(start, end);
    if (!isLongHere(value)) continue;
    if (name === "inputs") yield* membersOf(value, start, call);
    else if (name !== "output") {
      if (call.parentId !== null) yield* leavesOf(value, start);
    } else if (call.trial !== null) yield* outputOf(value, start);
    else if (call.scorerKey === null) yield { start, end, of: null };
  }
}

/** A reference to a dataset row stays where it is: it names the row, and is no text of it. */
function* membersOf(object: string, from: number, { trial }: Call): Generator<TextPlace> {
  if (!object.startsWith("{")) return;
  for (const { name, start, end } of lastPlaces(object)) {
    const isExample = trial !== null && name === "example";
    if (KEPT.has(name) || (isExample && trial.example.reference !== null)) continue;
    if (isLongHere(object.slice(start, end)))
      yield { start: from + start, end: from + end, of: isExample ? "trial row" : null };
  }
}

/** The model output of a trial. */
function* outputOf(object: string, from: number): Generator<TextPlace> {
  if (!object.startsWith("{")) return;
  const places = new Map(lastPlaces(object).map((one) => [one.name, one]));
  const place = places.get("output") ?? places.get("model_output");
  if (place !== undefined && isLongHere(object.slice(place.start, place.end)))
    yield { start: from + place.start, end: from + place.end, of: "trial output" };
}

/** The long texts and lists in an object, at any depth: what is short beside them is asked for alone. */
function* leavesOf(value: string, from: number): Generator<TextPlace> {
  if (!value.startsWith("{")) {
    yield { start: from, end: from + value.length, of: null };
    return;
  }
  for (const { name, start, end } of lastPlaces(value)) {
    const member = value.slice(start, end);
    if (!KEPT.has(name) && isLongHere(member)) yield* leavesOf(member, from + start);
  }
}

/** The members of an object, of repeated names the last. */
function lastPlaces(object: string) {
  return [...new Map(memberPlaces(object).map((one) => [one.name, one])).values()];
}
