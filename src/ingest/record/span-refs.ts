import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";

/** A span that a call made, of another tracing tool. */
interface SpanRef {
  readonly span_id: string;
  readonly trace_id: string;
}

/**
 * The spans that `attributes.<namespace>.genai_span_ref` of a call names, else its `summary`, as JSON text of a list in
 * which each stands once; null where none is named.
 */
export function spanRefs(members: JsonObject, namespaces: readonly string[]): string | null {
  for (const place of [members["attributes"], members["summary"]]) {
    if (!isJsonObject(place)) continue;
    for (const name of namespaces) {
      const space = place[name];
      const named = isJsonObject(space) ? space["genai_span_ref"] : undefined;
      const refs = named === undefined ? [] : refsIn(named);
      if (refs.length > 0) return JSON.stringify(refs);
    }
  }
  return null;
}

function refsIn(named: Json): SpanRef[] {
  const found = new Map<string, SpanRef>();
  for (const one of Array.isArray(named) ? (named as readonly Json[]) : [named]) {
    if (!isJsonObject(one)) continue;
    const { span_id, trace_id } = one;
    if (typeof span_id !== "string" || typeof trace_id !== "string" || span_id === "" || trace_id === "")
      continue;
    const identity = JSON.stringify([span_id, trace_id]);
    if (!found.has(identity)) found.set(identity, { span_id, trace_id });
  }
  return [...found.values()];
}
