import {
  compileRelatedCalls,
  compileTrialParts,
  compileTrialPlaces,
  compileTrialRows,
  type Relatives,
  type TrialParts,
  type TrialPlace,
  type TrialSelection,
} from "../../compile/catalog/trial-parts.ts";
import { compileCallRecords } from "../../compile/catalog/calls.ts";
import { createCallReading } from "../../ingest/record/call-reading.ts";
import { parseCallRecord } from "../../ingest/record/call-record.ts";
import type { Conventions } from "../../model/conventions.ts";
import type { Key } from "../../model/digest.ts";
import type { CallSearch, Session, Store } from "../../store/session.ts";
import { callReader, inProject } from "./stored-calls.ts";

/** Places that are held in memory, and trials that are. */
const PLACES = 20_000;
const PART = 200;

/** Which trials, from which place on, and what is read with them. */
interface TrialPage extends TrialSelection {
  readonly offset: number;
  readonly limit: number;
  readonly relatives: Relatives;
}

/** `row` is JSON, for those without a predict call whose row is stored. */
type StoredTrial = TrialParts & { readonly row: string | null };

/** Trials, and the records of their own calls and of their relatives, those of one trial by start, then id. */
interface StoredPart {
  readonly trials: readonly StoredTrial[];
  readonly records: readonly string[];
}

/** Where calls are kept in parts, what finds them. */
type CallStore = Store & { readonly calls?: CallSearch };

type Read = <T>(nothing: T, work: (session: Session, projectKey: number) => Promise<T>) => Promise<T>;

/** Reads what a project has as it was stored, in parts, each on a snapshot of its own. */
export function createStoredReader(store: CallStore, conventions: Conventions) {
  const reading = createCallReading(conventions);
  const reader =
    (projectId: string, signal: AbortSignal | undefined): Read =>
    (nothing, work) =>
      inProject(store, { projectId, signal }, nothing, work);
  return {
    /** Names of the members of attributes that are ours. */
    namespaces: conventions.attributeNamespaces,
    /** The key of a score call, from its record; null for any other call. */
    scoreKey: (record: string) => parseCallRecord(record, reading).call?.scorerKey ?? null,
    /** Records of calls by id. */
    calls: async (
      projectId: string,
      ids: readonly string[],
      signal?: AbortSignal,
    ): Promise<ReadonlyMap<string, string>> => {
      const nothing = new Map<string, string>();
      if (ids.length === 0) return nothing;
      return reader(projectId, signal)(nothing, async (session, key) => {
        const found = await callReader(session, key).find(projectId, ids);
        return new Map(found.map(({ id, record }) => [id, record]));
      });
    },
    /** Trials by start, then id. */
    trials: (projectId: string, page: TrialPage, signal?: AbortSignal) => {
      const read = reader(projectId, signal);
      const { calls } = store;
      const partOf =
        calls === undefined
          ? (places: readonly Place[]) => readPart(read, page.relatives, places)
          : (places: readonly Place[]) =>
              searchPart(read, calls, { projectId, relatives: page.relatives, signal }, places);
      return readTrials(read, page, partOf);
    },
  };
}

interface Asked {
  readonly projectId: string;
  readonly relatives: Relatives;
  readonly signal: AbortSignal | undefined;
}

interface Place extends TrialPlace {
  /** The epoch of what follows. */
  readonly epoch: number | null;
  /** Keys of calls that may be its relatives; none where calls are kept in parts. */
  readonly related: readonly Key[];
}

async function* readTrials(
  read: Read,
  { offset, limit, relatives, ...selection }: TrialPage,
  partOf: (places: readonly Place[]) => Promise<StoredPart>,
): AsyncGenerator<StoredPart, void, undefined> {
  let [after, skip, left]: [TrialPlace | null, number, number] = [null, offset, limit];
  while (left > 0) {
    const next = async (session: Session, key: number) => {
      const places = await session.all(compileTrialPlaces(key, selection, after, PLACES));
      return { places, wanted: await withRelated(session, key, relatives, places.slice(skip, skip + left)) };
    };
    const nothing: Awaited<ReturnType<typeof next>> = { places: [], wanted: [] };
    const { places, wanted } = await read(nothing, next);
    for (let at = 0; at < wanted.length; at += PART) yield await partOf(wanted.slice(at, at + PART));
    [after, skip, left] = [places.at(-1) ?? null, Math.max(0, skip - places.length), left - wanted.length];
    if (places.length < PLACES) return;
  }
}

/**
 * Finds the related calls of many trials at once, since that reads the hash of every call; they are known as long as
 * nothing is written.
 */
async function withRelated(
  session: Session,
  projectKey: number,
  relatives: Relatives,
  places: readonly TrialPlace[],
): Promise<readonly Place[]> {
  const related = new Map<Key, Key[]>(places.map(({ key }) => [key, []]));
  if (session.calls === undefined && places.length > 0) {
    const found = await session.all(compileRelatedCalls(projectKey, [...related.keys()], relatives));
    for (const { trialKey, key } of found) related.get(trialKey)?.push(key);
  }
  return places.map((place) => ({ ...place, epoch: session.epoch, related: related.get(place.key) ?? [] }));
}

const NO_PART: StoredPart = { trials: [], records: [] };

async function readPart(read: Read, relatives: Relatives, known: readonly Place[]): Promise<StoredPart> {
  return read(NO_PART, async (session, projectKey) => {
    const isCurrent = known.every(({ epoch }) => epoch !== null && epoch === session.epoch);
    const places = isCurrent ? known : await withRelated(session, projectKey, relatives, known);
    const keys = places.flatMap(({ key, related }) => [key, ...related]);
    const found = await session.all(compileCallRecords(projectKey, keys));
    const byKey = new Map(found.map(({ key, record }) => [key, record]));
    const records = [...new Set(keys)].flatMap((key) => byKey.get(key) ?? []);
    return { trials: await trialsOf(session, relatives, places), records };
  });
}

/** The same where the relatives are not known by key. */
async function searchPart(
  read: Read,
  calls: CallSearch,
  { projectId, relatives, signal }: Asked,
  places: readonly Place[],
): Promise<StoredPart> {
  const { trials, records } = await read(NO_PART, async (session, key) => {
    const part = await trialsOf(session, relatives, places);
    const ids = part.flatMap(({ id, predictCallId }) => [
      id,
      ...(predictCallId === null ? [] : [predictCallId]),
    ]);
    const found = await callReader(session, key).find(projectId, ids);
    return { trials: part, records: found.map(({ record }) => record) };
  });
  if (relatives === "predict") return { trials, records };
  const keys = await calls.find(projectId, { parents: trials.map(({ id }) => id) }, signal);
  const children = await calls.records(projectId, keys, signal);
  return { trials, records: [...records, ...keys.flatMap((key) => children.get(key) ?? [])] };
}

async function trialsOf(
  session: Session,
  relatives: Relatives,
  places: readonly Place[],
): Promise<readonly StoredTrial[]> {
  const parts = await session.all(compileTrialParts(places.map(({ key }) => key)));
  const found = new Map(parts.map((one) => [one.key, one]));
  const alone = parts.flatMap(({ key, predictCallId }) => (predictCallId === null ? [key] : []));
  const isNeeded = relatives === "predict" && alone.length > 0;
  const rows = new Map(
    isNeeded ? (await session.all(compileTrialRows(alone))).map(({ key, row }) => [key, row]) : [],
  );
  return places.flatMap(({ key }) => {
    const one = found.get(key);
    return one === undefined ? [] : { ...one, row: rows.get(key) ?? null };
  });
}
