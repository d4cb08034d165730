import type { Json, JsonObject } from "../../../model/json.ts";
import { SourceFault } from "../../read/fault.ts";
import { listAt, objectAt, readMembers, textAt } from "../../read/members.ts";
import { noNumberName, withoutNoNumbers } from "../../read/no-numbers.ts";

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
  const scores: { [metric: string]: Json } = {};
  const details: { [metric: string]: Json } = {};
  const lists: { [metric: string]: readonly (number | boolean)[] } = {};
  const names = named ?? Object.keys(line).filter((name) => !NO_METRICS.has(name));
  for (const name of names) {
    const value = typeof name === "string" ? line[name] : undefined;
    if (typeof name !== "string" || value === undefined || name === "bypass") continue;
    const noNumber = noNumberName(value);
    if (noNumber !== null) details[name] = noNumber;
    if (noNumber !== null || (value === null && named !== undefined)) scores[name] = null;
    else if (typeof value === "boolean") scores[name] = value ? 1 : 0;
    else if (typeof value === "number" || typeof value === "bigint") scores[name] = value;
    else if (value !== null) details[name] = withoutNoNumbers(value);
    if (Array.isArray(value) && value.every(isMember)) lists[name] = value;
  }
  return { scores, details, lists };
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
