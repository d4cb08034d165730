import { readFileSync } from "node:fs";

const FOLDER = new URL("../../../sql/duckdb/views/", import.meta.url);

/** The views that a statement reads, each in a file of its name that says its columns. */
export const VIEW_NAMES = [
  "evaluations",
  "rows",
  "trials",
  "scores",
  "calls",
  "feedback",
  "training_jobs",
  "trajectories",
  "checkpoints",
] as const;

export type ViewName = (typeof VIEW_NAMES)[number];

export function isViewName(name: string): name is ViewName {
  return (VIEW_NAMES as readonly string[]).includes(name);
}

/**
 * The query behind a view, of one project. Each of its columns is null on a record of another project, wherever
 * DuckDB moves a condition or a cast of the statement: an error cannot tell of what is not shown.
 */
export function viewQuery(
  name: ViewName,
  project: { readonly key: number; readonly idParameter: string },
): string {
  const text = readFileSync(new URL(`${name}.sql`, FOLDER), "utf8");
  const query = text.replaceAll(/^--.*\n/gm, "");
  return query
    .replaceAll("$project_key", String(project.key))
    .replaceAll("$project", project.idParameter)
    .trim();
}

/** Functions by name: pure ones, and aggregates. */
export function readAllowedFunctions(): ReadonlySet<string> {
  const text = readFileSync(new URL("functions-allowed.txt", FOLDER), "utf8");
  return new Set(text.split(/\s+/).filter((name) => name !== ""));
}
