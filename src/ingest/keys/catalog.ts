import type { FileSession } from "../../store/session.ts";
import { sql } from "../../store/sql.ts";
import type { Key } from "../../model/digest.ts";

/** A stored evaluation; the writer keeps all of them in memory. */
interface CatalogEvaluation {
  readonly key: Key;
  readonly projectKey: number;
  readonly id: string;
}

/** What is known of one dimension of the scores of a project; see the table `score_paths`. */
export interface ScorePathEntry {
  readonly key: Key;
  readonly projectKey: number;
  readonly path: string;
  leaf: boolean;
  container: boolean;
  list: boolean;
  maxExponent: number | null;
  minExponent: number | null;
  lowBit: number | null;
}

/** A dimension of which nothing is known but its name. */
export function newScorePath(key: Key, project: number, path: string): ScorePathEntry {
  return {
    key,
    projectKey: project,
    path,
    leaf: false,
    container: false,
    list: false,
    maxExponent: null,
    minExponent: null,
    lowBit: null,
  };
}

/** A tree of member names: a score value finds its dimension with one look-up a level. */
export interface ScorePlace {
  readonly projectKey: number;
  readonly path: readonly string[];
  /** Null until a value occurs here. */
  entry: ScorePathEntry | null;
  readonly below: Map<string, ScorePlace>;
}

/** The writer's dictionaries, and how it makes keys. */
export interface Dictionaries {
  readonly projects: Map<string, number>;
  readonly evaluations: Map<string, CatalogEvaluation>;
  readonly scorePaths: Map<string, ScorePathEntry>;
  /** Roots by project; their entries are those of `scorePaths`. */
  readonly scoreDimensions: Map<number, ScorePlace>;
  /** The key of an evaluation or a path that is in neither map yet. */
  readonly newKey: (kind: "evaluation" | "path", projectKey: number, id: string) => Key;
}

/** The dictionaries where keys are dense, and the next key of each large table. */
export interface Catalog extends Dictionaries {
  readonly next: { call: number; row: number; version: number; text: number };
  /** What the stubs of long texts begin with. */
  readonly mark: string;
}

export async function readCatalog(session: FileSession): Promise<Catalog> {
  const [[call, row, version, text, mark] = []] = await session.rows(sql`SELECT
    (SELECT coalesce(max(call_key), 0) + 1 FROM calls), (SELECT coalesce(max(row_key), 0) + 1 FROM rows),
    (SELECT coalesce(max(version_key), 0) + 1 FROM trials), (SELECT coalesce(max(text_key), 0) + 1 FROM pieces),
    (SELECT mark FROM text_mark)`);
  const projects = await session.rows(sql`SELECT project_id, project_key FROM projects`);
  const evaluations = await session.rows(sql`SELECT evaluation_key, project_key, id FROM evaluations`);
  const paths = await session.rows(sql`SELECT path_key, project_key, path, leaf, container, list,
    max_exponent, min_exponent, low_bit FROM score_paths`);
  return createCatalog({
    projects: new Map(projects.map(([id, key]) => [String(id), Number(key)])),
    evaluations: new Map(
      evaluations.map(([key, project, id]) => [
        identity(Number(project), String(id)),
        { key: Number(key), projectKey: Number(project), id: String(id) },
      ]),
    ),
    scorePaths: new Map(
      paths.map(([key, project, path, leaf, container, list, max, min, low]) => [
        identity(Number(project), String(path)),
        {
          key: Number(key),
          projectKey: Number(project),
          path: String(path),
          leaf: leaf === true,
          container: container === true,
          list: list === true,
          maxExponent: numberOrNull(max),
          minExponent: numberOrNull(min),
          lowBit: numberOrNull(low),
        },
      ]),
    ),
    next: { call: Number(call), row: Number(row), version: Number(version), text: Number(text) },
    mark: String(mark),
  });
}

/** What of a catalog is plain data; the rest follows from it. */
export type CatalogData = Pick<Catalog, "projects" | "evaluations" | "scorePaths" | "next" | "mark">;

export function createCatalog({ projects, evaluations, scorePaths, next, mark }: CatalogData): Catalog {
  return {
    projects,
    evaluations,
    scorePaths,
    scoreDimensions: new Map(),
    newKey: (kind) => (kind === "path" ? scorePaths : evaluations).size + 1,
    next,
    mark,
  };
}

/** The key of a project; a new project gets the next one. */
export async function projectKey(session: FileSession, catalog: Catalog, projectId: string): Promise<number> {
  const known = catalog.projects.get(projectId);
  if (known !== undefined) return known;
  const key = catalog.projects.size + 1;
  session.load("projects", [
    { name: "project_key", type: "INTEGER", values: [key] },
    { name: "project_id", type: "VARCHAR", values: [projectId] },
  ]);
  await session.run(sql`INSERT INTO projects SELECT project_key, project_id FROM loaded('projects')`);
  catalog.projects.set(projectId, key);
  return key;
}

/** What distinguishes calls. */
export function identity(projectKeyOrNumber: number, id: string): string {
  return `${projectKeyOrNumber}:${id}`;
}

function numberOrNull(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}
