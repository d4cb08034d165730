import { readFileSync, readdirSync } from "node:fs";

import type { OracleEvent } from "../oracle/calls.ts";
import { callLine, rowLine } from "../oracle/events.ts";
import { EMPTY, asList, asText, compactText, member, objectOr, parseJson, toPlain } from "../oracle/json.ts";
import type { Json, JsonObject } from "../oracle/json.ts";
import type { EvalRequest } from "../oracle/request.ts";
import type { OracleWarning } from "../oracle/warnings.ts";
import { DEFAULT_PROJECT, expandEvent } from "./shorthand.ts";

// Records are lines of NDJSON, since the very text may be what a case is about.
export type CaseEvent =
  | { readonly kind: "call" | "row"; readonly line: string }
  | { readonly kind: "delete"; readonly project_id: string; readonly id: string };

// Whatever is left out is not compared, but for warnings: none are expected unless listed.
export type Expected = {
  readonly digests: Json | undefined;
  readonly trial_ids: Json | undefined;
  readonly rows: Json | undefined;
  readonly trials: JsonObject;
  readonly total_rows: Json | undefined;
  readonly summary: Json | undefined;
  readonly warnings: readonly OracleWarning[];
};

export type EvalCase = {
  readonly file: string;
  readonly name: string;
  readonly rules: readonly string[];
  readonly projectId: string;
  readonly events: readonly CaseEvent[];
  readonly request: EvalRequest;
  readonly expected: Expected;
};

export function loadCases(): EvalCase[] {
  return readdirSync(import.meta.dirname)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .flatMap(loadFile);
}

export function oracleEvents(events: readonly CaseEvent[]): OracleEvent[] {
  return events.map((event) => {
    if (event.kind === "delete") return event;
    return event.kind === "call" ? callLine(event.line) : rowLine(event.line);
  });
}

function loadFile(file: string): EvalCase[] {
  const content = parseJson(readFileSync(`${import.meta.dirname}/${file}`, "utf8"));
  const projects = objectOr(member(content, "projects"), EMPTY);
  return asList(member(content, "cases")).map((entry) => caseFrom(file, projects, entry));
}

function caseFrom(file: string, projects: JsonObject, entry: Json): EvalCase {
  const project = member(entry, "project");
  const shared = typeof project === "string" ? asList(projects.get(project)) : [];
  const events = [...shared, ...listOr(member(entry, "events"))].flatMap((event) => expandEvent(event));
  return {
    file,
    name: asText(member(entry, "name")),
    rules: asList(member(entry, "rules")).map(asText),
    projectId: asText(member(entry, "in") ?? DEFAULT_PROJECT),
    events,
    request: JSON.parse(compactText(member(entry, "request"))) as EvalRequest,
    expected: expectedFrom(member(entry, "expected")),
  };
}

const EXPECTATIONS = new Set(["digests", "trial_ids", "rows", "trials", "total_rows", "summary", "warnings"]);

function expectedFrom(value: Json): Expected {
  const members = objectOr(value, EMPTY);
  const unknown = [...members.keys()].filter((key) => !EXPECTATIONS.has(key));
  if (members.size === 0) throw new TypeError("a case expects something");
  if (unknown.length > 0) throw new TypeError(`unknown expectations: ${unknown.join()}`);
  return {
    digests: members.get("digests"),
    trial_ids: members.get("trial_ids"),
    rows: members.get("rows"),
    trials: objectOr(members.get("trials"), EMPTY),
    total_rows: members.get("total_rows"),
    summary: members.get("summary"),
    warnings: toPlain(listOr(members.get("warnings"))) as OracleWarning[],
  };
}

function listOr(value: Json | undefined): readonly Json[] {
  return value === null || value === undefined ? [] : asList(value);
}
