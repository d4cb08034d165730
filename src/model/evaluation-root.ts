import { isJsonObject, type JsonObject } from "./json.ts";

/** What a root tells of its evaluation. */
export interface Root {
  readonly evaluationRef: string | null;
  readonly modelRef: string | null;
  readonly displayName: string | null;
  readonly traceId: string | null;
}

export function readRoot(record: string): Root {
  const members = JSON.parse(record) as JsonObject;
  const inputs = isJsonObject(members["inputs"]) ? members["inputs"] : {};
  return {
    evaluationRef: textOrNull(inputs["self"]) ?? textOrNull(inputs["this"]),
    modelRef: textOrNull(inputs["model"]),
    displayName: textOrNull(members["display_name"]),
    traceId: textOrNull(members["trace_id"]),
  };
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
