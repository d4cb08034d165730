import { valueDigest } from "./digests.ts";
import { EMPTY, objectOr } from "./json.ts";
import type { Json, JsonObject } from "./json.ts";
import { opName } from "./references.ts";

// In order of arrival.
export type OracleEvent =
  | { readonly kind: "call"; readonly record: JsonObject }
  | { readonly kind: "row"; readonly record: JsonObject }
  | { readonly kind: "delete"; readonly project_id: string; readonly id: string };

export type Call = {
  readonly id: string;
  readonly op_name: string;
  // The name in it.
  readonly op: string;
  readonly parent_id: string | null;
  readonly trace_id: string | null;
  readonly display_name: string | null;
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly exception: string | null;
  readonly attributes: JsonObject;
  readonly inputs: JsonObject;
  readonly output: Json;
  readonly summary: JsonObject;
};

export type Project = {
  readonly calls: readonly Call[];
  readonly datasetRows: ReadonlyMap<string, Json>;
};

type Arrivals = {
  readonly records: Map<string, Map<string, Json>>;
  readonly deleted: Set<string>;
  readonly datasetRows: Map<string, Json>;
};

export function projectsAfter(events: readonly OracleEvent[]): ReadonlyMap<string, Project> {
  const projects = new Map<string, Arrivals>();
  for (const event of events) {
    const name = event.kind === "delete" ? event.project_id : text(event.record, "project_id");
    const project = projects.get(name) ?? { records: new Map(), deleted: new Set(), datasetRows: new Map() };
    projects.set(name, project);
    apply(project, event);
  }
  return new Map([...projects].map(([name, arrivals]) => [name, settle(arrivals)]));
}

function apply(project: Arrivals, event: OracleEvent): void {
  switch (event.kind) {
    case "call":
      return applyCall(project, event.record);
    case "row": {
      const value = event.record.get("val") ?? null;
      project.datasetRows.set(optionalText(event.record, "digest") ?? valueDigest(value), value);
      return;
    }
    case "delete":
      project.deleted.add(event.id);
  }
}

function applyCall(project: Arrivals, record: JsonObject): void {
  const id = text(record, "id");
  const stored = project.records.get(id) ?? new Map<string, Json>();
  for (const [member, value] of record) {
    if (value !== null) stored.set(member, value);
  }
  project.records.set(id, stored);
  if (stored.has("deleted_at")) project.deleted.add(id);
}

function settle(arrivals: Arrivals): Project {
  const calls = [...arrivals.records.values()].map(callFrom);
  const parents = new Map(calls.map((call) => [call.id, call.parent_id]));
  const visible = calls.filter((call) => !isDeleted(call.id, parents, arrivals.deleted));
  return { calls: visible, datasetRows: arrivals.datasetRows };
}

function isDeleted(
  id: string,
  parents: ReadonlyMap<string, string | null>,
  deleted: ReadonlySet<string>,
): boolean {
  const seen = new Set<string>();
  let current: string | null = id;
  while (current !== null && !seen.has(current)) {
    if (deleted.has(current)) return true;
    seen.add(current);
    current = parents.get(current) ?? null;
  }
  return false;
}

function callFrom(record: JsonObject): Call {
  return {
    id: text(record, "id"),
    op_name: text(record, "op_name"),
    op: opName(text(record, "op_name")),
    parent_id: optionalText(record, "parent_id"),
    trace_id: optionalText(record, "trace_id"),
    display_name: optionalText(record, "display_name"),
    started_at: text(record, "started_at"),
    ended_at: optionalText(record, "ended_at"),
    exception: optionalText(record, "exception") || null,
    attributes: objectOr(record.get("attributes"), EMPTY),
    inputs: objectOr(record.get("inputs"), EMPTY),
    output: record.get("output") ?? null,
    summary: objectOr(record.get("summary"), EMPTY),
  };
}

function optionalText(record: JsonObject, member: string): string | null {
  const value = record.get(member) ?? null;
  if (value !== null && typeof value !== "string") throw new TypeError(`${member} is not text`);
  return value;
}

function text(record: JsonObject, member: string): string {
  const value = optionalText(record, member);
  if (value === null) throw new TypeError(`${member} is required`);
  return value;
}
