import type { Json, JsonObject } from "../../../model/json.ts";
import { SourceFault } from "../../read/fault.ts";
import { listAt, objectAt, readMembers, textAt } from "../../read/members.ts";
import { withoutNoNumbers } from "../../read/no-numbers.ts";
import { splitScores } from "../../translate/score-value.ts";

/** A line of a samples file: a document under one filter. */
export interface SampleLine {
  readonly id: number | bigint | string;
  /** Null in lines of older versions. */
  readonly filter: string | null;
  readonly line: JsonObject;
  /** Its metrics; those without a number are only in `details`. */
  readonly scores: { readonly [metric: string]: Json };
  readonly details: { readonly [metric: string]: Json };
  /** Those that are lists of numbers or booleans only. */
  readonly lists: { readonly [metric: string]: readonly (number | boolean)[] };
}

const NO_METRICS = new Set(
  "doc_id doc target arguments resps filtered_resps filter metrics doc_hash prompt_hash target_hash".split(
    " ",
  ),
);

const TYPES = { text: ["filter"], list: ["metrics"] };

/** Reads a line. `marked` still has the marks of bare NaN and infinities. Throws {@link SourceFault}. */
export function readLine(marked: Json, mayHaveMarks: boolean, place: string): SampleLine {
  const { marked: whole, plain: line } = readMembers(marked, TYPES, place, mayHaveMarks);
  const { doc_id: id } = line;
  if (typeof id !== "string" && typeof id !== "number" && typeof id !== "bigint")
    throw new SourceFault("invalid", place, "lacks a doc_id that is a number or a text");
  if (line["doc"] === undefined) throw new SourceFault("invalid", place, "lacks its doc");
  if (!Array.isArray(line["filtered_resps"])) throw new SourceFault("invalid", place, "lacks filtered_resps");
  const named = Array.isArray(line["metrics"]) ? listAt(line, "metrics") : undefined;
  return { id, filter: textAt(line, "filter"), line, ...metricsOf(whole, named) };
}

function metricsOf(line: JsonObject, named: readonly Json[] | undefined) {
  // Where no list names the metrics, a member that is null is none.
  const isNamed = (name: string, value: Json) =>
    named?.includes(name) ?? (value !== null && !NO_METRICS.has(name));
  const metrics = Object.entries(line).filter(([name, value]) => name !== "bypass" && isNamed(name, value));
  const { scores, details } = splitScores(metrics, (value) => {
    if (typeof value === "boolean") return Number(value);
    return typeof value === "number" || typeof value === "bigint" ? value : undefined;
  });
  const lists = metrics.flatMap(([name, value]) =>
    Array.isArray(value) && value.every(isMember) ? [[name, value] as const] : [],
  );
  return { scores, details: withoutNoNumbers(details) as JsonObject, lists: Object.fromEntries(lists) };
}

function isMember(value: Json): value is number | boolean {
  return typeof value === "number" || typeof value === "boolean";
}

/** The prompt of the first request; null where there is none. */
export function promptOf(line: JsonObject): Json {
  const [first] = listAt(line, "arguments");
  const older = Array.isArray(first) ? ((first as readonly Json[])[0] ?? null) : null;
  return objectAt(line, "arguments", "gen_args_0")["arg_0"] ?? older;
}

/** What the filter gave: of one response itself. */
export function answerOf(line: JsonObject): Json {
  const answers = listAt(line, "filtered_resps");
  return answers.length === 1 ? (answers[0] ?? null) : answers;
}
