import { keyDigest, rowDigest } from "../../model/digest.ts";
import { compactJson, isFragile, parseJson } from "../../model/json.ts";
import { outputLineOf } from "../../model/one-line.ts";
import { CLOSE_BRACE, COMMA } from "../../model/read-json.ts";
import { memberPlaces, memberTexts } from "../../model/member-texts.ts";
import { stubsIn, writeStub, type Stub } from "../../model/text-stubs.ts";
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
  const text = readText(record.text);
  const places = [...longTexts(text, call)];
  if (places.length === 0) return record;
  const known = new Map(stubsIn(cutter.mark, earlier?.text ?? "").map((one) => [one.hash, one]));
  const parts: string[] = [];
  let at = 0;
  for (const { start, end, of } of places.toSorted((a, b) => a.start - b.start)) {
    const raw = text.slice(start, end);
    const same = known.size === 0 ? null : (known.get(hashOf(Buffer.from(raw))) ?? null);
    const stub = same ?? (await stubOf(cutter, raw, of, record.call, context));
    parts.push(text.slice(at, start), writeStub(cutter.mark, stub));
    at = end;
  }
  const cut = parts.join("") + text.slice(at);
  return { ...record, text: cut, call: record.call === null ? null : parseCallRecord(cut, reading).call };
}

async function stubOf(
  cutter: TextCutter,
  raw: string,
  of: TextPlace["of"],
  call: Call | null,
  { projectKey, exampleOf }: CutContext,
): Promise<Stub> {
  if (of === null) return keepText(cutter, raw);
  const compact = compactText(raw, of, call);
  if (of === "trial output")
    return { ...withCompact(cutter, raw, compact, null), line: outputLineOf(compact).toWellFormed() };
  const digest = rowDigest(parseJson(compact));
  const key = call?.trial?.example.key ?? null;
  const row = key === null ? digest : keyDigest(key);
  const name = `${projectKey}:${row}`;
  const known = cutter.ofRows.get(name) ?? (await exampleOf(row));
  const stub = { ...withCompact(cutter, raw, compact, known), digest };
  if (known === null) {
    const { hash } = stub.compact === null ? stub : { hash: hashOf(Buffer.from(compact)) };
    cutter.ofRows.set(name, { key: stub.compact?.key ?? stub.key, hash });
  }
  return stub;
}

/** Keeps a text as it was sent, and in the spelling of trials and rows where that is another. */
function withCompact(
  cutter: TextCutter,
  raw: string,
  compact: string,
  known: Pick<Stub, "key" | "hash"> | null,
): Stub {
  if (raw === compact) return keepText(cutter, raw, known);
  const { key, bytes, head } = keepText(cutter, compact, known);
  return { ...keepText(cutter, raw), compact: { key, bytes }, head };
}

/** What the trial made of the text. */
function compactText(raw: string, of: "trial output" | "trial row", call: Call | null): string {
  const trial = call?.trial ?? null;
  if (of === "trial row" && trial !== null) return trial.example.text;
  if (trial?.output != null) {
    const { output } = trial;
    if (isWithin(output, raw)) return raw;
    const members = memberTexts(readText(output));
    const found = members.get("output") ?? members.get("model_output");
    if (found !== undefined) return found;
  }
  const value = JSON.parse(raw) as unknown;
  return isFragile(value, raw) ? compactJson(raw) : JSON.stringify(value);
}

/** Whether the output of a trial, which mostly begins with it, has a text as its first member. */
function isWithin(output: Uint8Array, raw: string): boolean {
  const bytes = Buffer.from(`{"output":${raw}`);
  const next = output[bytes.length];
  return (next === COMMA || next === CLOSE_BRACE) && bytes.equals(output.subarray(0, bytes.length));
}

/** Members that say what a call is stay where they are, however long. */
const KEPT: ReadonlySet<string> = new Set(["self", "this", "model", "dataset", "genai_span_ref"]);

const ROOT_OP = "Evaluation.evaluate";

/** What of a record is long. Scores stay where they are, and so does all that a root says of its evaluation. */
function* longTexts(text: string, call: Call): Generator<TextPlace> {
  if (call.opName === ROOT_OP) return;
  const members = new Map(memberPlaces(text).map((one) => [one.name, one]));
  for (const name of ["inputs", "output", "attributes", "summary"]) {
    const member = members.get(name);
    if (member === undefined) continue;
    const { start, end } = member;
    const value = text.slice(start, end);
    if (!isLong(value)) continue;
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
    if (isLong(object.slice(start, end)))
      yield { start: from + start, end: from + end, of: isExample ? "trial row" : null };
  }
}

/** The model output of a trial. */
function* outputOf(object: string, from: number): Generator<TextPlace> {
  if (!object.startsWith("{")) return;
  const places = new Map(lastPlaces(object).map((one) => [one.name, one]));
  const place = places.get("output") ?? places.get("model_output");
  if (place !== undefined && isLong(object.slice(place.start, place.end)))
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
    if (!KEPT.has(name) && isLong(member)) yield* leavesOf(member, from + start);
  }
}

/** The members of an object, of repeated names the last. */
function lastPlaces(object: string) {
  return [...new Map(memberPlaces(object).map((one) => [one.name, one])).values()];
}
