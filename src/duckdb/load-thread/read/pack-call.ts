import { IN_RECORD, type Call, type Example, type TrialPart } from "../../../ingest/record/call.ts";
import type { CallPart, NameRank, ParsedCall } from "../../../ingest/record/call-record.ts";
import type { EpochUnit } from "../../../ingest/record/call-times.ts";
import { isPlain, type JsonObject } from "../../../model/json.ts";
import { packStep, unpackStep } from "./pack-step.ts";
import type { PlainReader, PlainWriter } from "./plain-data.ts";

/*
 * Each pair of functions writes and reads the same values in the same order.
 */

const UNITS: readonly (EpochUnit | null)[] = [null, "seconds", "milliseconds", "microseconds"];
const PARTS: readonly (CallPart | null)[] = [null, "start", "end", "whole", "name"];

export function packCall(to: PlainWriter, parsed: ParsedCall): void {
  const { text, columns, call } = parsed;
  to.bytes(typeof text === "string" ? Buffer.from(text, "utf8") : text);
  to.word(parsed.projectId);
  to.text(parsed.id);
  to.word(parsed.parentId);
  to.integer(
    flags(parsed.deleted, parsed.ended, call !== null, columns.startedAt !== null, columns.endedAt !== null),
  );
  to.integer(UNITS.indexOf(parsed.epochUnit));
  to.integer(PARTS.indexOf(parsed.part));
  to.integer(parsed.nameRank);
  to.integer(parsed.unknownMembers.length);
  for (const name of parsed.unknownMembers) to.word(name);
  to.word(columns.opName);
  to.word(columns.exception);
  if (columns.startedAt !== null) to.long(columns.startedAt);
  if (columns.endedAt !== null) to.long(columns.endedAt);
  if (call !== null) packRead(to, call);
}

export function unpackCall(from: PlainReader): ParsedCall {
  const text = from.bytes();
  const projectId = from.word() ?? "";
  const id = from.text();
  const parentId = from.word();
  const [deleted, ended, isRead, started, hasEnd] = unpackFlags(from.integer());
  const epochUnit = UNITS[from.integer()] ?? null;
  const part = PARTS[from.integer()] ?? null;
  const nameRank = from.integer() as NameRank;
  const unknownMembers = unpackNames(from);
  const columns = {
    opName: from.word(),
    exception: from.word(),
    startedAt: started ? from.long() : null,
    endedAt: hasEnd ? from.long() : null,
  };
  const call = isRead ? unpackRead(from, id, parentId, columns) : null;
  return {
    text,
    projectId,
    id,
    parentId,
    deleted,
    ended,
    call,
    columns,
    unknownMembers,
    epochUnit,
    part,
    nameRank,
  };
}

const NO_NAMES: readonly string[] = [];

function unpackNames(from: PlainReader): readonly string[] {
  const count = from.integer();
  return count === 0 ? NO_NAMES : Array.from({ length: count }, () => from.word() ?? "");
}

function packRead(to: PlainWriter, call: Call): void {
  const { totalTokens, trial } = call;
  to.integer(flags(call.hasOutput, call.failed, call.isLikeTrial, totalTokens !== null, trial !== null));
  to.word(call.op);
  to.word(call.opName);
  to.word(call.self);
  to.word(call.model);
  to.word(call.scorerKey);
  to.word(call.spanRefs);
  to.word(call.stopReason);
  if (totalTokens !== null) to.double(totalTokens);
  if (trial !== null) packTrial(to, trial);
  packStep(to, call.step);
}

function unpackRead(
  from: PlainReader,
  id: string,
  parentId: string | null,
  { startedAt, endedAt }: ParsedCall["columns"],
): Call {
  const [hasOutput, failed, isLikeTrial, hasTokens, isTrial] = unpackFlags(from.integer());
  return {
    id,
    parentId,
    op: from.word() ?? "",
    opName: from.word() ?? "",
    startedAt: startedAt ?? 0n,
    endedAt,
    self: from.word(),
    model: from.word(),
    scorerKey: from.word(),
    spanRefs: from.word(),
    stopReason: from.word(),
    hasOutput,
    failed,
    totalTokens: hasTokens ? from.double() : null,
    trial: isTrial ? unpackTrial(from) : null,
    isLikeTrial,
    step: unpackStep(from),
  };
}

function packTrial(
  to: PlainWriter,
  { example, output, scores, latencySeconds, stopReason }: TrialPart,
): void {
  // JSON has no bigint and no infinity.
  const isOdd = !isPlain(scores);
  const isBytes = output !== null && output !== IN_RECORD;
  to.integer(
    flags(example.reference !== null, isBytes, isOdd, latencySeconds !== null, output === IN_RECORD),
  );
  to.text(example.text);
  to.word(example.key);
  if (example.reference !== null) {
    to.text(example.reference.digest);
    to.word(example.reference.prefix);
  }
  to.word(stopReason);
  if (isBytes) to.bytes(output);
  if (isOdd) to.other(scores);
  else to.text(JSON.stringify(scores));
  if (latencySeconds !== null) to.double(latencySeconds);
}

function unpackTrial(from: PlainReader): TrialPart {
  const [hasReference, hasOutput, isOdd, hasLatency, isInRecord] = unpackFlags(from.integer());
  return {
    example: unpackExample(from, hasReference),
    stopReason: from.word(),
    output: isInRecord ? IN_RECORD : hasOutput ? from.bytes() : null,
    scores: (isOdd ? from.other() : JSON.parse(from.text())) as JsonObject,
    latencySeconds: hasLatency ? from.double() : null,
    // Texts are cut where they are written.
    textBytes: null,
  };
}

function unpackExample(from: PlainReader, hasReference: boolean): Example {
  const [text, key] = [from.text(), from.word()];
  const reference = hasReference ? { digest: from.text(), prefix: from.word() ?? "" } : null;
  return { text, reference, key, digest: null };
}

function flags(a: boolean, b: boolean, c: boolean, d: boolean, e: boolean): number {
  return Number(a) | (Number(b) << 1) | (Number(c) << 2) | (Number(d) << 3) | (Number(e) << 4);
}

function unpackFlags(bits: number): readonly [boolean, boolean, boolean, boolean, boolean] {
  return [(bits & 1) !== 0, (bits & 2) !== 0, (bits & 4) !== 0, (bits & 8) !== 0, (bits & 16) !== 0];
}
