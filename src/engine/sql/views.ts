import { readFileSync } from "node:fs";
import { isRule, type Rule } from "./cost/calls.ts";

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

/** Allowed functions, and the rule by which each is measured: the heading that it stands below. */
export function readFunctionRules(): ReadonlyMap<string, Rule> {
  const text = readFileSync(new URL("functions-allowed.txt", FOLDER), "utf8").replaceAll(/^# .*$/gm, "");
  const rules = new Map<string, Rule>();
  for (const [, heading = "", names = ""] of text.matchAll(/^\[([a-z0-9 ]+)\].*\n((?:.+\n)*)/gm)) {
    if (!isRule(heading)) throw new TypeError(`functions-allowed.txt: there is no rule [${heading}]`);
    for (const name of names.split(/\s+/)) if (name !== "") rules.set(name, heading);
  }
  return rules;
}
