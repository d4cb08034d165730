import {
  compileTrialParts,
  compileTrialPlaces,
  type TrialParts,
  type TrialPlace,
  type TrialSelection,
} from "../../compile/catalog/trial-parts.ts";
import { compileProject } from "../../compile/catalog/project.ts";
import { createCallReading } from "../../ingest/record/call.ts";
import { parseCallRecord } from "../../ingest/record/call-record.ts";
import type { Conventions } from "../../model/conventions.ts";
import type { Session, Store } from "../../store/session.ts";
import { callReader } from "./stored-calls.ts";

/** Places that are held in memory, and trials that are. */
const PLACES = 20_000;
const PART = 200;

/** Which trials, and from which place on. */
interface TrialPage extends TrialSelection {
  readonly offset: number;
  readonly limit: number;
}

/** Reads what a project has as it was stored, in parts, each on a snapshot of its own. */
export interface StoredReader {
  /** Trials by start, then id. */
  readonly trials: (
    projectId: string,
    page: TrialPage,
    signal?: AbortSignal,
  ) => AsyncGenerator<readonly TrialParts[], void, undefined>;
  /** Records of calls by id. */
  readonly calls: (
    projectId: string,
    ids: readonly string[],
    signal?: AbortSignal,
  ) => Promise<ReadonlyMap<string, string>>;
  /** The key of a score call, from its record; null for any other call. */
  readonly scoreKey: (record: string) => string | null;
  /** Names of the members of attributes that are ours. */
  readonly namespaces: readonly string[];
}

type Read = <T>(
  projectId: string,
  nothing: T,
  work: (session: Session, projectKey: number) => Promise<T>,
  signal: AbortSignal | undefined,
) => Promise<T>;

export function createStoredReader(store: Store, conventions: Conventions): StoredReader {
  const reading = createCallReading(conventions);
  const read: Read = (projectId, nothing, work, signal) =>
    store.read(async (session) => {
      await session.about(projectId, []);
      const [project] = await session.all(compileProject(projectId));
      return project === undefined ? nothing : work(session, project.key);
    }, signal);
  return {
    namespaces: conventions.attributeNamespaces,
    scoreKey: (record) => parseCallRecord(record, reading).call?.scorerKey ?? null,
    calls: async (projectId, ids, signal) => {
      const nothing = new Map<string, string>();
      if (ids.length === 0) return nothing;
      const find = async (session: Session, key: number) => {
        const found = await callReader(session, key).find(projectId, ids);
        return new Map(found.map(({ id, record }) => [id, record]));
      };
      return read(projectId, nothing, find, signal);
    },
    trials: (projectId, page, signal) => readTrials(read, projectId, page, signal),
  };
}

async function* readTrials(
  read: Read,
  projectId: string,
  { offset, limit, ...selection }: TrialPage,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly TrialParts[], void, undefined> {
  let [after, skip, left]: [TrialPlace | null, number, number] = [null, offset, limit];
  while (left > 0) {
    const next = (session: Session, key: number) =>
      session.all(compileTrialPlaces(key, selection, after, PLACES));
    const places: readonly TrialPlace[] = await read(projectId, [], next, signal);
    const wanted = places.slice(skip, skip + left);
    for (let at = 0; at < wanted.length; at += PART) {
      const keys = wanted.slice(at, at + PART).map(({ key }) => key);
      const parts = await read(projectId, [], (session) => session.all(compileTrialParts(keys)), signal);
      const byKey = new Map(parts.map((one) => [one.key, one]));
      yield keys.flatMap((key) => byKey.get(key) ?? []);
    }
    [after, skip, left] = [places.at(-1) ?? null, Math.max(0, skip - places.length), left - wanted.length];
    if (places.length < PLACES) return;
  }
}
