import { hashKey } from "../../model/digest.ts";
import { identity, newScorePath, type Dictionaries } from "../../ingest/keys/catalog.ts";
import type { ClickHouse } from "../server/client.ts";
import { integerOf } from "../server/integer-of.ts";
import { IS_VISIBLE, MOST_NAMED, visibleValues, type Commits, type Visible } from "./visible.ts";
import { createProjects, type Projects } from "./projects.ts";
import { noKeys, readKeys, type StoredKeys } from "./stored-keys.ts";

/** Where something was first stored. */
export interface StoredPlace {
  readonly load: bigint;
  readonly position: number;
}

/** What a writer remembers of all loads that it has seen. */
export interface Known extends Dictionaries {
  readonly known: Projects;
  /** The projects of which the database has the names. */
  readonly stored: Set<number>;
  /** Where evaluations were first met, by identity. */
  readonly first: Map<string, StoredPlace>;
  /** The number of the last commit of which it is known. */
  commit: bigint;
  /** The loads of this writer among what was committed after that. */
  readonly own: Set<bigint>;
  /** Null where they were not read. */
  keys: StoredKeys | null;
}

/** What is known of everything visible: what `before` has and the fresh loads, which are those since; or all of it. */
export async function readDictionaries(
  client: ClickHouse,
  commits: Commits,
  before: Known | null,
): Promise<Known> {
  const known = before ?? empty();
  await (before === null ? readInto(client, commits, known) : readFresh(client, commits, known));
  known.commit = commits.number;
  // Nothing is stored yet.
  if (commits.last === 0n) known.keys ??= noKeys();
  return known;
}

/** A copy that also knows the fresh loads, which are those since; the projects keep their numbers. */
export async function withFresh(client: ClickHouse, commits: Commits, before: Known): Promise<Known> {
  const entries = [...before.scorePaths].map(([name, entry]) => [name, { ...entry }] as const);
  const known: Known = {
    ...before,
    stored: new Set(before.stored),
    own: new Set(before.own),
    first: new Map(before.first),
    evaluations: new Map(before.evaluations),
    scorePaths: new Map(entries),
    scoreDimensions: new Map(),
  };
  await readFresh(client, commits, known);
  known.commit = commits.number;
  return known;
}

/** Reads what is in the fresh loads; everything where there are too many to name. */
async function readFresh(client: ClickHouse, commits: Commits, known: Known): Promise<void> {
  const loads = commits.fresh.filter((load) => !known.own.has(load));
  known.own.clear();
  if (loads.length > MOST_NAMED) {
    known.keys = null;
    await readInto(client, commits, known);
  } else if (loads.length > 0) {
    if (known.keys !== null) await readKeys(client, known.keys, loads);
    await readInto(client, { upTo: 0n, commit: 0n, loads }, known);
  }
}

async function readInto(client: ClickHouse, visible: Visible, known: Known): Promise<void> {
  await Promise.all([readProjects(client, visible, known), readEvaluations(client, visible, known)]);
  await readPaths(client, visible, known);
}

function empty(): Known {
  const known = createProjects();
  return {
    known,
    stored: new Set(),
    first: new Map(),
    commit: 0n,
    own: new Set(),
    keys: null,
    projects: new Map(),
    evaluations: new Map(),
    scorePaths: new Map(),
    scoreDimensions: new Map(),
    newKey: (_, projectKey, id) => hashKey(known.id(projectKey), id),
  };
}

async function readProjects(client: ClickHouse, visible: Visible, { known, stored }: Known): Promise<void> {
  const found = await client.rows(
    `SELECT DISTINCT project_id FROM projects WHERE ${IS_VISIBLE}`,
    visibleValues(visible),
  );
  for (const [id] of found) stored.add(known.number(String(id)));
}

async function readEvaluations(client: ClickHouse, visible: Visible, known: Known): Promise<void> {
  const found = await client.rows(
    `SELECT p.project_id, e.id, e.evaluation_key, (min((e.first_load, e.first_position)) AS first).1, first.2
    FROM evaluations AS e JOIN (SELECT DISTINCT project_key, project_id FROM projects) AS p USING (project_key)
    WHERE ${IS_VISIBLE} GROUP BY ALL`,
    visibleValues(visible),
  );
  for (const [projectId, id, key, load, position] of found) {
    const projectKey = known.known.number(String(projectId));
    const name = identity(projectKey, String(id));
    known.evaluations.set(name, { projectKey, id: String(id), key: integerOf(key) });
    const place = { load: integerOf(load), position: Number(position) };
    const earlier = known.first.get(name);
    if (earlier === undefined || isBefore(place, earlier)) known.first.set(name, place);
  }
}

export function isBefore(a: StoredPlace, b: StoredPlace): boolean {
  return a.load === b.load ? a.position < b.position : a.load < b.load;
}

async function readPaths(client: ClickHouse, visible: Visible, known: Known): Promise<void> {
  const found = await client.rows(
    `SELECT p.project_id, s.path, s.path_key, max(s.leaf), max(s.container), max(s.list),
      max(s.max_exponent), min(s.min_exponent), min(s.low_bit)
    FROM score_paths AS s JOIN (SELECT DISTINCT project_key, project_id FROM projects) AS p USING (project_key)
    WHERE ${IS_VISIBLE} GROUP BY ALL`,
    visibleValues(visible),
  );
  for (const [projectId, path, key, leaf, container, list, max, min, low] of found) {
    const projectKey = known.known.number(String(projectId));
    const name = identity(projectKey, String(path));
    const entry = known.scorePaths.get(name) ?? newScorePath(integerOf(key), projectKey, String(path));
    known.scorePaths.set(name, entry);
    entry.leaf ||= leaf === true;
    entry.container ||= container === true;
    entry.list ||= list === true;
    entry.maxExponent = widest(Math.max, entry.maxExponent, max);
    entry.minExponent = widest(Math.min, entry.minExponent, min);
    entry.lowBit = widest(Math.min, entry.lowBit, low);
  }
}

function widest(
  choose: (a: number, b: number) => number,
  known: number | null,
  found: unknown,
): number | null {
  if (typeof found !== "number") return known;
  return known === null ? found : choose(known, found);
}
