import type { OracleEvent } from "./calls.ts";
import { compactText, fromPlain, isObject, parseJson } from "./json.ts";
import type { Json, JsonObject } from "./json.ts";

function record(value: Json): JsonObject {
  if (!isObject(value)) throw new TypeError("a record is an object");
  return value;
}

export function callEvents(calls: readonly unknown[]): OracleEvent[] {
  return calls.map((call) => ({ kind: "call", record: record(fromPlain(call)) }));
}

export function rowEvents(rows: readonly unknown[]): OracleEvent[] {
  return rows.map((row) => ({ kind: "row", record: record(fromPlain(row)) }));
}

export function callLine(text: string): OracleEvent {
  return { kind: "call", record: record(parseJson(text)) };
}

export function rowLine(text: string): OracleEvent {
  return { kind: "row", record: record(parseJson(text)) };
}

// One line of NDJSON, the only form that keeps member order and big integers for every engine.
export function lineOf(event: Extract<OracleEvent, { readonly record: JsonObject }>): string {
  return compactText(event.record);
}
