import { EvalcubeError } from "../../errors.ts";
import type { RecordKind } from "./record-kind.ts";

/** Members that hold JSON: a column of text under such a name holds one JSON text a record. */
export const PAYLOADS: ReadonlySet<string> = new Set(["attributes", "inputs", "output", "summary", "val"]);
/** Members that hold text: bytes in a column of such a name are taken for UTF-8. */
export const TEXTS: ReadonlySet<string> = new Set([
  "id",
  "project_id",
  "op_name",
  "trace_id",
  "parent_id",
  "display_name",
  "started_at",
  "ended_at",
  "deleted_at",
  "exception",
  "digest",
]);

/**
 * Throws where columns of these names can be no records of the kind: a name that is there twice, or none for
 * what every record needs. Calls whose start is loaded from elsewhere need neither `op_name` nor `started_at`.
 */
export function checkColumns(
  kind: RecordKind,
  columns: readonly string[],
  source: string,
  position: number,
): void {
  const place = position === 1 ? source : `${source}, from record ${position} on`;
  const twice = columns.find((name, i) => columns.indexOf(name) < i);
  if (twice !== undefined)
    throw new EvalcubeError("invalid_schema", `${place}: has two columns ${JSON.stringify(twice)}`);
  const missing = requiredColumns(kind, columns).filter((name) => !columns.includes(name));
  if (missing.length === 0) return;
  throw new EvalcubeError(
    "invalid_schema",
    `${place}: cannot be ${kind === "rows" ? "dataset rows" : "calls"}, it lacks the columns ${missing.join(", ")}; it has ${columns.length === 0 ? "none" : columns.join(", ")}`,
  );
}

function requiredColumns(kind: RecordKind, columns: readonly string[]): readonly string[] {
  if (kind === "rows") return ["project_id", "val"];
  const hasStart = columns.includes("op_name") || columns.includes("started_at");
  const hasEnd = columns.includes("ended_at") || columns.includes("deleted_at");
  return hasStart || !hasEnd ? ["id", "project_id", "op_name", "started_at"] : ["id", "project_id"];
}
