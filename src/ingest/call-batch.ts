import type { Session } from "../model/session.ts";
import type { Conventions } from "./call.ts";
import { missingMember, parseCallRecord, type CallRecord } from "./call-record.ts";
import { identity, projectKey, type Catalog } from "./catalog.ts";
import { InvalidRecord } from "./invalid-record.ts";
import { mergeRecords } from "./merge.ts";
import type { Child } from "./settle.ts";
import { findCalls, findChildren, type CallIdentity, type KnownCall } from "./stored-calls.ts";

/** A record of a source, with its place there. */
export interface PlacedRecord {
  readonly record: CallRecord;
  readonly position: number;
}

/** What one batch of records comes to. */
export interface CallBatch {
  /** Calls that are new, or whose record or visibility changed. */
  readonly changed: Map<string, KnownCall>;
  /** Trials to settle anew, each with its visible children. */
  readonly trials: Map<string, { readonly trial: KnownCall; readonly children: readonly Child[] }>;
  /** Keys of stored trials that are to go, or to be replaced. */
  readonly staleTrials: Set<number>;
  /** Records that said something new, or not; and those refused for what the database lacks. */
  readonly stored: readonly PlacedRecord[];
  readonly unchanged: number;
  readonly refused: readonly { readonly position: number; readonly error: InvalidRecord }[];
}

/** Merges a batch with the database and finds every trial that it touches. Writes nothing. */
export async function prepareBatch(
  session: Session,
  catalog: Catalog,
  conventions: Conventions,
  records: readonly PlacedRecord[],
): Promise<CallBatch> {
  const known = new Map<string, KnownCall>();
  const remember = (calls: readonly KnownCall[]) => {
    for (const call of calls) if (!known.has(call.identity)) known.set(call.identity, call);
  };
  const placed = await identify(session, catalog, records);
  remember(await findCalls(session, conventions, wantedIdentities(placed)));
  const before = new Map(known);
  const merged = mergeAll(catalog, conventions, known, placed);
  const changed = merged.changed;

  const formerParents = identitiesOf(
    [...changed.keys()].map((id) => before.get(id)),
    known,
  );
  if (formerParents.length > 0) remember(await findCalls(session, conventions, formerParents));
  await hideDescendants(session, conventions, known, before, changed, remember);

  const touched = touchedTrials(known, before, changed);
  remember(await findChildren(session, conventions, touched.visible));
  return {
    changed,
    trials: withChildren(known, touched.visible),
    staleTrials: touched.stale,
    stored: merged.stored,
    unchanged: merged.unchanged,
    refused: merged.refused,
  };
}

interface Placed {
  readonly placed: PlacedRecord;
  readonly projectKey: number;
  readonly identity: string;
}

async function identify(
  session: Session,
  catalog: Catalog,
  records: readonly PlacedRecord[],
): Promise<Placed[]> {
  const result: Placed[] = [];
  for (const placed of records) {
    const { projectId, id } = placed.record;
    const key = catalog.projects.get(projectId) ?? (await projectKey(session, catalog, projectId));
    result.push({ placed, projectKey: key, identity: identity(key, id) });
  }
  return result;
}

/** The calls of the batch, and parents that are not in it. */
function wantedIdentities(placed: readonly Placed[]): CallIdentity[] {
  const wanted = new Map<string, CallIdentity>();
  for (const { placed: one, projectKey: key, identity: id } of placed) {
    wanted.set(id, { projectKey: key, id: one.record.id });
    const { parentId } = one.record;
    if (parentId !== null) wanted.set(identity(key, parentId), { projectKey: key, id: parentId });
  }
  return [...wanted.values()];
}

function mergeAll(
  catalog: Catalog,
  conventions: Conventions,
  known: Map<string, KnownCall>,
  placed: readonly Placed[],
) {
  const changed = new Map<string, KnownCall>();
  const stored: PlacedRecord[] = [];
  const refused: { position: number; error: InvalidRecord }[] = [];
  let unchanged = 0;
  for (const { placed: one, projectKey: key, identity: id } of placed) {
    const earlier = known.get(id);
    const text = earlier === undefined ? one.record.text : mergeRecords(earlier.text, one.record.text);
    if (text === null) {
      unchanged++;
      continue;
    }
    const record = earlier === undefined ? one.record : parseCallRecord(text, conventions);
    const missing = missingMember(record);
    if (missing !== null) {
      refused.push({ position: one.position, error: new InvalidRecord([missing], "is required") });
      continue;
    }
    const call: KnownCall = {
      key: earlier?.key ?? catalog.next.call++,
      projectKey: key,
      id: record.id,
      parentId: record.parentId,
      text,
      hidden: record.deleted || (earlier?.hidden ?? false),
      stored: earlier?.stored ?? false,
      identity: id,
      parentIdentity: record.parentId === null ? null : identity(key, record.parentId),
      call: record.call,
    };
    known.set(id, call);
    changed.set(id, call);
    stored.push(one);
  }
  return { changed, stored, unchanged, refused };
}

/** Identities of parents that `calls` had before and that are not known yet. */
function identitiesOf(
  calls: readonly (KnownCall | undefined)[],
  known: ReadonlyMap<string, KnownCall>,
): CallIdentity[] {
  const wanted: CallIdentity[] = [];
  for (const call of calls) {
    if (call === undefined || call.parentId === null || call.parentIdentity === null) continue;
    if (!known.has(call.parentIdentity)) wanted.push({ projectKey: call.projectKey, id: call.parentId });
  }
  return wanted;
}

/** A hidden call hides its descendants, those of the batch and those stored before. */
async function hideDescendants(
  session: Session,
  conventions: Conventions,
  known: Map<string, KnownCall>,
  before: ReadonlyMap<string, KnownCall>,
  changed: Map<string, KnownCall>,
  remember: (calls: readonly KnownCall[]) => void,
): Promise<void> {
  const hide = (call: KnownCall): void => {
    const hidden = { ...call, hidden: true };
    known.set(call.identity, hidden);
    changed.set(call.identity, hidden);
  };
  const looked = new Set<string>();
  for (;;) {
    for (let found = true; found;) {
      found = false;
      for (const call of known.values()) {
        if (call.hidden || call.parentIdentity === null || known.get(call.parentIdentity)?.hidden !== true)
          continue;
        hide(call);
        found = true;
      }
    }
    const newlyHidden = [...changed].filter(
      ([id, call]) => call.hidden && before.get(id)?.hidden !== true && !looked.has(id),
    );
    if (newlyHidden.length === 0) return;
    for (const [id] of newlyHidden) looked.add(id);
    remember(
      await findChildren(
        session,
        conventions,
        newlyHidden.map(([, call]) => call),
      ),
    );
  }
}

function touchedTrials(
  known: ReadonlyMap<string, KnownCall>,
  before: ReadonlyMap<string, KnownCall>,
  changed: ReadonlyMap<string, KnownCall>,
): { visible: KnownCall[]; stale: Set<number> } {
  const visible = new Map<string, KnownCall>();
  const stale = new Set<number>();
  const touch = (id: string) => {
    const call = known.get(id);
    if (call === undefined) return;
    if (call.stored && (isTrial(call) || isTrial(before.get(id)))) stale.add(call.key);
    if (isTrial(call) && !call.hidden) visible.set(id, call);
  };
  for (const [id, call] of changed) {
    touch(id);
    const former = before.get(id)?.parentIdentity ?? null;
    if (call.parentIdentity !== null) touch(call.parentIdentity);
    if (former !== null && former !== call.parentIdentity) touch(former);
  }
  return { visible: [...visible.values()], stale };
}

function isTrial(call: KnownCall | undefined): boolean {
  return (call?.call?.trial ?? null) !== null;
}

function withChildren(known: ReadonlyMap<string, KnownCall>, trials: readonly KnownCall[]) {
  const result = new Map(trials.map((trial) => [trial.identity, { trial, children: [] as Child[] }]));
  for (const { parentIdentity, hidden, call, text } of known.values()) {
    if (parentIdentity !== null && !hidden && call !== null)
      result.get(parentIdentity)?.children.push({ call, text });
  }
  return result;
}
