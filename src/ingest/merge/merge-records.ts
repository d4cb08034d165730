import { memberTexts, writeMembers } from "../../model/member-texts.ts";
import type { KnownCall } from "../lookup/known-call.ts";
import type { CallPart, NameRank, ParsedCall } from "../record/call-record.ts";
import { readText } from "../record/record-text.ts";

/** A merged record, and where its display name comes from. */
export interface MergedText {
  readonly text: string;
  readonly nameRank: NameRank;
}

type Members = Map<string, string>;

/** Members that an end has and a start has not: an end replaces them together. */
const OF_END: ReadonlySet<string> = new Set([
  "ended_at",
  "output",
  "exception",
  "summary",
  "wb_run_step_end",
  "is_eval",
]);
const DISPLAY_NAME = "display_name";
/** Who stored the call; whoever did so first stays, also nobody. */
export const USER = "wb_user_id";
/** Who hid the call first. */
export const DELETER = "deleted_by";

/**
 * Merges a part of a call into what is known of it; null when nothing changes. What results depends on the set of
 * parts, never on their order, but where two starts or two whole calls of one id differ, or two ends at the same time.
 */
export function mergePart(earlier: KnownCall, later: ParsedCall, part: CallPart): MergedText | null {
  const before = presentMembers(readText(earlier.text));
  const members = new Map(before);
  const sent = presentMembers(readText(later.text));
  if (part === "start" || part === "whole") addStart(members, sent, part === "whole");
  if (part === "end" || part === "whole") addEnd(members, sent, isOvertaken(earlier, later));
  const nameRank = addName(members, sent, part === "name" ? 2 : later.nameRank, earlier.nameRank);
  if (part === "start" && hasStart(before)) restore(members, before, DISPLAY_NAME);
  if (before.has(USER) || hasStart(before)) restore(members, before, USER);
  const isSame = nameRank === earlier.nameRank && isEqual(before, members);
  return isSame ? null : { text: writeMembers(members), nameRank };
}

function presentMembers(text: string): Members {
  const members = memberTexts(text);
  for (const [name, value] of members) if (value === "null") members.delete(name);
  return members;
}

function hasStart(members: Members): boolean {
  return members.has("op_name");
}

/** A start adds nothing to a call that has one; a whole call knows better than a start. */
function addStart(members: Members, sent: Members, isWhole: boolean): void {
  if (hasStart(members) && !isWhole) return;
  for (const [name, value] of sent) if (!OF_END.has(name) && name !== DISPLAY_NAME) members.set(name, value);
}

/** Whether an end of the call is known that is later than this one. */
function isOvertaken(earlier: KnownCall, later: ParsedCall): boolean {
  const [known, sent] = [earlier.columns.endedAt, later.columns.endedAt];
  return known !== null && sent !== null && known > sent;
}

function addEnd(members: Members, sent: Members, isEarlier: boolean): void {
  if (!isEarlier) for (const name of OF_END) members.delete(name);
  for (const [name, value] of sent) {
    if (name === DISPLAY_NAME || (OF_END.has(name) && isEarlier)) continue;
    if (OF_END.has(name) || !members.has(name)) members.set(name, value);
  }
}

/** Gives the call the name of the part unless its own ranks higher. */
function addName(members: Members, sent: Members, rank: NameRank, known: NameRank): NameRank {
  const name = sent.get(DISPLAY_NAME);
  if (rank < known || (name === undefined && rank < 2)) return known;
  if (name === undefined) members.delete(DISPLAY_NAME);
  else members.set(DISPLAY_NAME, name);
  return rank;
}

function restore(members: Members, before: Members, name: string): void {
  const value = before.get(name);
  if (value === undefined) members.delete(name);
  else members.set(name, value);
}

function isEqual(a: Members, b: Members): boolean {
  return a.size === b.size && [...a].every(([name, value]) => b.get(name) === value);
}

/**
 * Merges a later record into an earlier one of the same call: members that are present and not null replace the earlier
 * ones, but for who stored it. Returns the merged text, or null when nothing changes.
 */
export function mergeRecords(earlier: string, later: string): string | null {
  const members = memberTexts(earlier);
  const isKnown = (name: string) => (members.get(name) ?? "null") !== "null";
  const stays = new Set([
    ...(isKnown(USER) || isKnown("op_name") ? [USER] : []),
    ...(isKnown(DELETER) ? [DELETER] : []),
  ]);
  let changed = false;
  for (const [name, value] of memberTexts(later)) {
    if (value === "null" || members.get(name) === value || stays.has(name)) continue;
    members.set(name, value);
    changed = true;
  }
  if (!changed) return null;
  return writeMembers(members);
}
