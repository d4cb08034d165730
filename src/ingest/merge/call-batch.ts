import { missingMember, parseCallRecord, type ParsedCall } from "../record/call-record.ts";
import type { Key } from "../../model/digest.ts";
import { InvalidRecord } from "../record/invalid-record.ts";
import type { Call } from "../record/call.ts";
import { isLong, readText } from "../record/record-text.ts";
import { mergePart, mergeRecords, type MergedText } from "./merge-records.ts";
import { withWholeStep } from "../texts/whole-step.ts";
import { concernsTrial, type Child } from "./settle-trial.ts";
import { anyHidden, hideDescendants, isBelowHidden } from "./hiding.ts";
import type { CallIdentity, KnownCall, StoredCalls } from "../lookup/known-call.ts";

/** What a record did: it added or changed something, said nothing new, or lacks what no other record has either. */
export type RecordOutcome = "stored" | "unchanged" | InvalidRecord;

/** What a batch of records changes. */
export interface CallBatch {
  /** Every call that the batch met, by identity, as it stands after it; `before`: those it looked up, as they stood. */
  readonly known: ReadonlyMap<string, KnownCall>;
  readonly before: ReadonlyMap<string, KnownCall>;
  /** Calls that are new, or whose record or visibility changed. */
  readonly changed: Map<string, KnownCall>;
  /** New parents of stored calls that had another one. */
  readonly moved: readonly CallIdentity[];
  /** Trials to settle anew, each with its visible children. */
  readonly trials: Map<string, { readonly trial: KnownCall; readonly children: readonly Child[] }>;
  /** Keys of stored trials to delete; some of them are written again. */
  readonly staleTrials: Set<Key>;
  /** One for each record, in their order. */
  readonly outcomes: readonly RecordOutcome[];
  /** The identity of each record's call. */
  readonly identities: readonly string[];
  /** The identity of the parent that each record names. */
  readonly namedParents: readonly (string | null)[];
}

/**
 * Merges a batch with the database and finds every trial that it touches. Writes nothing. Maps of a whole batch
 * are walked with `forEach`, since an iterator allocates an object for each entry.
 */
export async function prepareBatch(stored: StoredCalls, records: readonly ParsedCall[]): Promise<CallBatch> {
  const known = new Map<string, KnownCall>();
  const remember = (calls: readonly KnownCall[]) => {
    for (const call of calls) if (!known.has(call.identity)) known.set(call.identity, call);
  };
  const { identified, wanted } = await identify(stored, records);
  remember(await stored.find(wanted));
  const before = new Map(known);
  const merged = await mergeAll(stored, known, identified);
  const changed = merged.changed;

  const formerParents = unknownParents(identified, before, known);
  if (formerParents.length > 0) remember(await stored.find(formerParents));
  await hideDescendants(stored, known, before, changed, remember);

  const touched = touchedTrials(known, before, changed);
  remember(await stored.children(touched.visible));
  return {
    known,
    before,
    changed,
    moved: movedParents(before, changed),
    trials: withChildren(known, touched.visible),
    staleTrials: touched.stale,
    outcomes: merged.outcomes,
    identities: identified.map(({ self }) => self.identity),
    namedParents: identified.map(({ parent }) => parent?.identity ?? null),
  };
}

interface Identified {
  readonly record: ParsedCall;
  readonly self: CallIdentity;
  readonly parent: CallIdentity | null;
}

/** The identities of the records and of their parents; `wanted` has each once. */
async function identify(
  stored: StoredCalls,
  records: readonly ParsedCall[],
): Promise<{ readonly identified: Identified[]; readonly wanted: CallIdentity[] }> {
  const projects = new Map<string, Map<string, CallIdentity>>();
  const identified: Identified[] = [];
  for (const record of records) {
    if (stored.turns.shouldYield()) await stored.turns.next();
    const { projectId, id, parentId } = record;
    const known = stored.projectKey(projectId);
    const project = typeof known === "number" ? known : await known;
    let calls = projects.get(projectId);
    if (calls === undefined) projects.set(projectId, (calls = new Map()));
    identified.push({
      record,
      self: nameOnce(stored, calls, project, id),
      parent: parentId === null ? null : nameOnce(stored, calls, project, parentId),
    });
  }
  return { identified, wanted: [...projects.values()].flatMap((calls) => [...calls.values()]) };
}

function nameOnce(
  stored: StoredCalls,
  calls: Map<string, CallIdentity>,
  project: number,
  id: string,
): CallIdentity {
  const known = calls.get(id);
  if (known !== undefined) return known;
  const named = stored.identify(project, id);
  calls.set(id, named);
  return named;
}

/** What merging the records of a batch found; `changed` by identity. */
interface Merged {
  readonly changed: Map<string, KnownCall>;
  readonly outcomes: RecordOutcome[];
}

async function mergeAll(
  stored: StoredCalls,
  known: Map<string, KnownCall>,
  identified: readonly Identified[],
): Promise<Merged> {
  const all: Merged = { changed: new Map(), outcomes: [] };
  const hides = identified.some(({ record }) => record.deleted) || anyHidden(known);
  for (const one of identified) {
    if (stored.turns.shouldYield(one.record.text.length)) await stored.turns.next();
    const earlier = known.get(one.self.identity);
    const merged = isLong(one.record.text)
      ? await mergedLong(stored, one, earlier)
      : mergedRecord(stored, one.record, earlier);
    const record =
      earlier === undefined
        ? merged
        : merged && (await withWholeStep(merged, stored.reading, stored.texts?.whole));
    const missing = record === null || one.record.part !== null ? null : missingMember(record);
    if (record === null) {
      all.outcomes.push("unchanged");
    } else if (missing === null) {
      const moves = earlier?.parent != null && earlier.parent.id !== record.parentId;
      const wasHidden = hides && moves && (await isBelowHidden(stored, known, earlier));
      const call = mergedCall(stored, one, record, earlier, wasHidden);
      known.set(call.identity, call);
      all.changed.set(call.identity, call);
      all.outcomes.push("stored");
    } else {
      all.outcomes.push(new InvalidRecord([missing], "is required"));
    }
  }
  return all;
}

/** The record as it is to be stored; null when it says nothing new. */
function mergedRecord(
  { reading }: Pick<StoredCalls, "reading">,
  later: ParsedCall,
  earlier: KnownCall | undefined,
): ParsedCall | null {
  if (earlier === undefined) return later;
  const merged = later.part === null ? mergeWhole(earlier, later) : mergePart(earlier, later, later.part);
  return merged === null ? null : { ...parseCallRecord(merged.text, reading), nameRank: merged.nameRank };
}

/** As {@link mergedRecord}, of a long record. */
async function mergedLong(
  stored: StoredCalls,
  { record: later, self }: Identified,
  earlier: KnownCall | undefined,
): Promise<ParsedCall | null> {
  const { texts } = stored;
  if (texts === undefined) return mergedRecord(stored, later, earlier);
  const sent = await texts.cut(later, self, earlier);
  const record = mergedRecord(stored, sent, earlier);
  if (record === null || earlier === undefined) return record;
  if (earlier.call === null || kindOf(record.call) === kindOf(earlier.call))
    return texts.cut(record, self, earlier);
  // Another kind of call has other long texts.
  const before = { ...earlier, text: await texts.whole(readText(earlier.text)) };
  const whole = mergedRecord(stored, later, before);
  return whole === null ? null : texts.cut(whole, self, earlier);
}

function kindOf(call: Call | null): string {
  return call?.trial != null ? "trial" : call?.scorerKey == null ? "" : "score";
}

function mergeWhole(earlier: KnownCall, later: ParsedCall): MergedText | null {
  const text = mergeRecords(readText(earlier.text), readText(later.text));
  return text === null ? null : { text, nameRank: earlier.nameRank };
}

/** A call after one more record of it; null where the record says nothing new. */
export function foldRecord(
  stored: Pick<StoredCalls, "reading" | "identify" | "newKey">,
  self: CallIdentity,
  later: ParsedCall,
  earlier: KnownCall | undefined,
): KnownCall | null {
  const record = mergedRecord(stored, later, earlier);
  if (record === null) return null;
  const parent = later.parentId === null ? null : stored.identify(self.projectKey, later.parentId);
  return mergedCall(stored, { self, parent }, record, earlier, false);
}

function mergedCall(
  stored: Pick<StoredCalls, "identify" | "newKey">,
  { self, parent }: Omit<Identified, "record">,
  record: ParsedCall,
  earlier: KnownCall | undefined,
  wasHidden: boolean,
): KnownCall {
  return {
    projectKey: self.projectKey,
    id: self.id,
    identity: self.identity,
    hash: self.hash,
    key: earlier?.key ?? stored.newKey(self),
    parent: earlier === undefined ? parent : mergedParent(stored, self, parent, record.parentId),
    text: record.text,
    hidden: record.deleted || wasHidden || (earlier?.hidden ?? false),
    isStored: earlier?.isStored ?? false,
    call: record.call,
    columns: record.columns,
    nameRank: record.nameRank,
  };
}

/** The parent that a merged record names: the later record's, else the earlier one's. */
function mergedParent(
  stored: Pick<StoredCalls, "identify">,
  self: CallIdentity,
  later: CallIdentity | null,
  parentId: string | null,
): CallIdentity | null {
  if (parentId === null) return null;
  return later?.id === parentId ? later : stored.identify(self.projectKey, parentId);
}

function movedParents(
  before: ReadonlyMap<string, KnownCall>,
  changed: ReadonlyMap<string, KnownCall>,
): CallIdentity[] {
  const moved: CallIdentity[] = [];
  for (const [id, earlier] of before) {
    const parent = changed.get(id)?.parent ?? null;
    if (parent !== null && parent.identity !== earlier.parent?.identity) moved.push(parent);
  }
  return moved;
}

/** Parents that the calls had before, and that no record of the batch names. */
function unknownParents(
  identified: readonly Identified[],
  before: ReadonlyMap<string, KnownCall>,
  known: ReadonlyMap<string, KnownCall>,
): CallIdentity[] {
  const wanted: CallIdentity[] = [];
  for (const { self, record } of identified) {
    const parent = before.get(self.identity)?.parent ?? null;
    if (parent !== null && parent.id !== record.parentId && !known.has(parent.identity)) wanted.push(parent);
  }
  return wanted;
}

function touchedTrials(
  known: ReadonlyMap<string, KnownCall>,
  before: ReadonlyMap<string, KnownCall>,
  changed: ReadonlyMap<string, KnownCall>,
): { visible: KnownCall[]; stale: Set<Key> } {
  const visible = new Map<string, KnownCall>();
  const stale = new Set<Key>();
  const touch = (id: string) => {
    const call = known.get(id);
    if (call === undefined) return;
    if (call.isStored && (isTrial(call) || isTrial(before.get(id)))) stale.add(call.key);
    if (isTrial(call) && !call.hidden) visible.set(id, call);
  };
  // Of a child that its trial asks nothing of, the trial is not read: it may have a million of them.
  const touchAbove = (child: KnownCall | undefined) => {
    const above = child?.parent == null ? undefined : known.get(child.parent.identity);
    if (child?.call && above?.call && concernsTrial(child.call, above.call)) touch(above.identity);
  };
  changed.forEach((call, id) => {
    touch(id);
    for (const version of [call, before.get(id)]) touchAbove(version);
  });
  return { visible: [...visible.values()], stale };
}

export function isTrial(call: KnownCall | undefined): boolean {
  return (call?.call?.trial ?? null) !== null;
}

function withChildren(known: ReadonlyMap<string, KnownCall>, trials: readonly KnownCall[]) {
  const result = new Map(trials.map((trial) => [trial.identity, { trial, children: [] as Child[] }]));
  known.forEach(({ parent, hidden, call, text }) => {
    if (parent !== null && !hidden && call !== null)
      result.get(parent.identity)?.children.push({ call, text });
  });
  return result;
}
