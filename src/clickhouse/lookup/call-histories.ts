import type { HashFilter } from "../../ingest/lookup/hash-filter.ts";
import type { CallIdentity, KnownCall, StoredCalls } from "../../ingest/lookup/known-call.ts";
import { foldRecord } from "../../ingest/merge/call-batch.ts";
import {
  parseCallRecord,
  type CallPart,
  type NameRank,
  type ParsedCall,
} from "../../ingest/record/call-record.ts";
import type { ClickHouse } from "../server/client.ts";
import { integerOf } from "../server/integer-of.ts";
import { IS_VISIBLE, visibleValues, type Visible } from "./visible.ts";
import { isBefore, type StoredPlace } from "./dictionaries.ts";
import { keyOf } from "./identify.ts";

/** A stored call, as all of its visible records make it in the order of (load, position). */
interface History {
  call: KnownCall;
  /** Where its first record is. */
  readonly first: StoredPlace;
  /** Where it was deleted itself. */
  deleted: StoredPlace | null;
  /** The parents that it had, each from some record on. */
  readonly parents: { readonly parent: CallIdentity | null; readonly from: StoredPlace }[];
  /** How many records it has, and the group of the last one. */
  records: number;
  group: bigint;
}

/** A stored call, all parents that it ever had, and see {@link History}. */
export interface StoredCall extends KnownCall, Pick<Readonly<History>, "records" | "group"> {
  readonly parents: readonly CallIdentity[];
}

/** What reading histories needs. */
export interface HistorySource {
  readonly client: ClickHouse;
  readonly visible: Visible;
  readonly projectKey: (number: number) => bigint;
  readonly stored: Pick<StoredCalls, "reading" | "turns" | "identify" | "newKey">;
  /** Gets every call on which an answer depends; null where nobody asks. */
  readonly looked: HashFilter | null;
}

/** So many keys are asked for at once: they stand in the address of a request. */
const KEYS_AT_ONCE = 5000;

/** Reads stored calls by their keys; `first` gets where each was first stored, by identity. */
export async function readCalls(
  source: HistorySource,
  project: number,
  keys: readonly bigint[],
  first: Map<string, StoredPlace>,
): Promise<StoredCall[]> {
  const histories = await readHistories(source, project, keys);
  const all = new Map(histories);
  for (let above = missingParents(all, all); above.length > 0; above = missingParents(all, all)) {
    const found = await readHistories(source, project, above.map(keyOf));
    for (const { hash } of above) source.looked?.add(hash);
    for (const { identity } of above) if (!found.has(identity)) all.set(identity, null);
    for (const [identity, history] of found) all.set(identity, history);
  }
  return [...histories].flatMap(([identity, history]) => {
    if (history === null) return [];
    first.set(identity, history.first);
    const { call, parents, records, group } = history;
    const hidden = hiddenAt(all, identity, new Set()) !== null;
    return [{ ...call, hidden, records, group, parents: parents.flatMap(({ parent }) => parent ?? []) }];
  });
}

/** Keys of calls that are or were children of these. */
export async function childKeys(
  { client, visible, projectKey }: HistorySource,
  project: number,
  parents: readonly bigint[],
): Promise<bigint[]> {
  const found = new Set<bigint>();
  for (let at = 0; at < parents.length; at += KEYS_AT_ONCE) {
    const records = await client.rows(
      `SELECT DISTINCT call_key FROM fragments
      WHERE project_key = {project: UInt64} AND group_key IN {keys: Array(UInt64)} AND call_key != group_key AND ${IS_VISIBLE}
      UNION DISTINCT SELECT DISTINCT trial_key FROM trials
      WHERE project_key = {project: UInt64} AND evaluation_key IN {keys: Array(UInt64)} AND ${IS_VISIBLE}`,
      { project: projectKey(project), keys: parents.slice(at, at + KEYS_AT_ONCE), ...visibleValues(visible) },
    );
    for (const [key] of records) found.add(integerOf(key));
  }
  return [...found];
}

type Histories = Map<string, History | null>;

async function readHistories(
  source: HistorySource,
  project: number,
  keys: readonly bigint[],
): Promise<Map<string, History | null>> {
  const histories: Histories = new Map();
  for (let at = 0; at < keys.length; at += KEYS_AT_ONCE)
    await readSome(source, project, keys.slice(at, at + KEYS_AT_ONCE), histories);
  return histories;
}

async function readSome(
  { client, visible, projectKey, stored }: HistorySource,
  project: number,
  keys: readonly bigint[],
  histories: Histories,
): Promise<void> {
  const bound = { project: projectKey(project), ...visibleValues(visible) };
  const found = await client.rows(
    `SELECT DISTINCT call_key, group_key FROM call_groups
    WHERE project_key = {project: UInt64} AND call_key IN {keys: Array(UInt64)} AND ${IS_VISIBLE}`,
    { ...bound, keys },
  );
  if (found.length === 0) return;
  const distinct = (column: number) => [...new Set(found.map((one) => integerOf(one[column])))];
  const records = await client.rows(
    `SELECT load, position, part, name_rank, record, group_key FROM fragments
    WHERE project_key = {project: UInt64} AND group_key IN {groups: Array(UInt64)} AND call_key IN {keys: Array(UInt64)}
      AND ${IS_VISIBLE} ORDER BY load, position`,
    { ...bound, keys: distinct(0), groups: distinct(1) },
  );
  for (const [load, position, part, rank, text, group] of records) {
    if (stored.turns.shouldYield()) await stored.turns.next();
    const place = { load: integerOf(load), position: Number(position) };
    const parsed = parseCallRecord(String(text), stored.reading);
    const record = { ...parsed, part: PARTS[Number(part)] ?? null, nameRank: nameRank(rank) };
    addRecord(stored, histories, stored.identify(project, record.id), record, place, integerOf(group));
  }
}

/** By their numbers in the column `part`. */
export const PARTS: readonly (CallPart | null)[] = [null, "start", "end", "whole", "name"];

export function nameRank(value: unknown): NameRank {
  return value === 2 ? 2 : value === 1 ? 1 : 0;
}

function addRecord(
  stored: HistorySource["stored"],
  histories: Histories,
  self: CallIdentity,
  record: ParsedCall,
  place: StoredPlace,
  group: bigint,
): void {
  const history = histories.get(self.identity) ?? null;
  const folded = foldRecord(stored, self, record, history?.call);
  if (history === null) {
    if (folded === null) return;
    histories.set(self.identity, {
      call: { ...folded, isStored: true },
      first: place,
      deleted: record.deleted ? place : null,
      parents: [{ parent: folded.parent, from: place }],
      records: 1,
      group,
    });
    return;
  }
  history.records++;
  history.group = group;
  if (folded === null) return;
  history.call = { ...folded, isStored: true };
  if (record.deleted) history.deleted ??= place;
  if (history.parents.at(-1)?.parent?.identity !== folded.parent?.identity)
    history.parents.push({ parent: folded.parent, from: place });
}

/** Parents, former ones included, that were not looked for yet. */
function missingParents(histories: Histories, all: Histories): CallIdentity[] {
  const missing = new Map<string, CallIdentity>();
  for (const history of histories.values())
    for (const { parent } of history?.parents ?? [])
      if (parent !== null && !all.has(parent.identity)) missing.set(parent.identity, parent);
  return [...missing.values()];
}

/**
 * Since when a call is hidden; null if it is visible. A call is hidden since its own deletion, or since the deletion of
 * an ancestor of that time. A later ancestor does not show it again.
 */
function hiddenAt(all: Histories, identity: string, below: Set<string>): StoredPlace | null {
  const history = all.get(identity) ?? null;
  if (history === null || below.has(identity)) return null;
  below.add(identity);
  let since = history.deleted;
  for (const [i, { parent, from }] of history.parents.entries()) {
    const until = history.parents[i + 1]?.from ?? null;
    const above = parent === null ? null : hiddenAt(all, parent.identity, below);
    if (above === null || (until !== null && !isBefore(above, until))) continue;
    const here = isBefore(above, from) ? from : above;
    if (since === null || isBefore(here, since)) since = here;
  }
  below.delete(identity);
  return since;
}
