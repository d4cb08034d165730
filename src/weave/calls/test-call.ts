import { isJsonObject, type Json } from "../../model/json.ts";
import { splitFieldPath } from "../../model/field-path.ts";
import { conditionOf, type Fields } from "../conditions/condition.ts";
import { beginningAt, type StubbedValue, textLacks, wholeValueAt } from "../conditions/long-field.ts";
import { valueAt, type WeaveQuery } from "../conditions/operands.ts";
import type { CallFilter, CallQuery } from "./requests.ts";

/** Whether a call, with the members of its line, is selected. May throw `LongField`. */
type CallTest = (call: StubbedValue) => Generator<void, boolean, undefined>;

const TEXTS: ReadonlySet<string> = new Set([
  "id",
  "op_name",
  "trace_id",
  "parent_id",
  "display_name",
  "started_at",
  "ended_at",
  "exception",
]);
const PAYLOADS: ReadonlySet<string> = new Set(["inputs", "output", "attributes", "summary"]);

/** Whether a text is a field of calls that conditions and orders can name. */
export function isCallField(field: string): boolean {
  const [root = "", ...path] = splitFieldPath(field);
  return path.length === 0 ? TEXTS.has(root) || PAYLOADS.has(root) : PAYLOADS.has(root);
}

/** The tests that need the record of a call; empty where the narrow columns say all. Throws `RequestError`. */
export function testsOf({ filter, query }: Pick<CallQuery, "filter" | "query">): readonly CallTest[] {
  const tests = filter == null ? [] : filterTests(filter);
  return query == null ? tests : [...tests, queryTest(query)];
}

function queryTest(query: WeaveQuery): CallTest {
  const condition = conditionOf(query, isCallField);
  return function* (call) {
    const fields: Fields = {
      valueOf: (field) => wholeValueAt(call, splitFieldPath(field)),
      beginningOf: (field) => beginningAt(call, splitFieldPath(field)),
      lacks: (field, part, folds) => textLacks(call, splitFieldPath(field), part, folds),
    };
    return (yield* condition(fields)) === true;
  };
}

const MEMBERS = [
  ["parent_ids", "parent_id"],
  ["trace_ids", "trace_id"],
  ["thread_ids", "thread_id"],
  ["turn_ids", "turn_id"],
  ["wb_user_ids", "wb_user_id"],
  ["wb_run_ids", "wb_run_id"],
] as const;
const REFERENCES = [
  ["input_refs", "inputs"],
  ["output_refs", "output"],
] as const;

function filterTests(filter: CallFilter): CallTest[] {
  const tests: CallTest[] = [];
  for (const [name, member] of MEMBERS) {
    const wanted = filter[name];
    if (wanted != null)
      tests.push(simple(({ value }) => wanted.some((one) => one === valueAt(value, [member]))));
  }
  for (const [name, member] of REFERENCES) {
    const wanted = filter[name];
    if (wanted != null) tests.push(simple((call) => doesRefer(call, member, wanted)));
  }
  return tests;
}

function simple(test: (call: StubbedValue) => boolean): CallTest {
  // eslint-disable-next-line require-yield
  return function* (call) {
    return test(call);
  };
}

/** References mostly stand beside long texts, which are then not read. */
function doesRefer(call: StubbedValue, member: string, references: readonly string[]): boolean {
  return (
    refersTo(valueAt(call.value, [member]), references) || refersTo(wholeValueAt(call, [member]), references)
  );
}

/** Whether a text anywhere in the value is one of the references, or leads on from one. */
function refersTo(value: Json, references: readonly string[]): boolean {
  if (typeof value === "string")
    return references.some(
      (one) => value === one || (value.startsWith(one) && value.charAt(one.length) === "/"),
    );
  if (Array.isArray(value)) return (value as readonly Json[]).some((item) => refersTo(item, references));
  return isJsonObject(value) && Object.values(value).some((member) => refersTo(member, references));
}
