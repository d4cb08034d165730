import type { z } from "zod";
import { createTurnTaker, runSteps, sortInSlices } from "../../model/turns.ts";
import { splitFieldPath } from "../../model/field-path.ts";
import { parseJson, type Json, type JsonObject } from "../../model/json.ts";
import { writeMembers } from "../../model/member-texts.ts";
import { NO_DETAILS } from "../../store/scorer-details.ts";
import { conditionOf } from "../conditions/condition.ts";
import { compareBy, sortKeys, sortValues } from "../conditions/order.ts";
import { valueAt } from "../conditions/operands.ts";
import type { WeaveSeam } from "../request/seam.ts";
import { createHold, writeListAnswer } from "../request/long-answers.ts";
import { feedbackOutside } from "./names.ts";
import type { queryFeedbackRequest } from "./requests.ts";

type Asked = z.output<typeof queryFeedbackRequest>;

const FIELDS: ReadonlySet<string> = new Set([
  "id",
  "project_id",
  "weave_ref",
  "wb_user_id",
  "creator",
  "created_at",
  "feedback_type",
  "payload",
  "annotation_ref",
  "runnable_ref",
  "call_ref",
  "trigger_ref",
  ...NO_DETAILS.keys(),
]);

/** Fields with members of their own. */
const OBJECTS = new Set([
  "payload",
  ...[...NO_DETAILS].flatMap(([name, empty]) => (empty === "{}" ? [name] : [])),
]);

function isField(field: string): boolean {
  const [root = ""] = splitFieldPath(field);
  return FIELDS.has(root) && (OBJECTS.has(root) || root === field);
}

/** Feedback that a query selects, as the JSON text of the answer, in pieces; without an order the oldest first. */
export async function* queryFeedback(
  feedback: WeaveSeam["feedback"],
  asked: Asked,
): AsyncGenerator<string, void, undefined> {
  const from = asked.offset ?? 0;
  const to = asked.limit == null ? Infinity : from + asked.limit;
  const condition = asked.query == null ? null : conditionOf(asked.query, isField);
  const turns = createTurnTaker();
  const keys = sortKeys(asked.sort_by);
  const hold = createHold("query", "select less");
  const found: { readonly text: string; readonly order: ReturnType<typeof sortValues> }[] = [];
  let count = 0;
  const on = referenceIn(asked.query?.$expr);
  for await (const members of feedbackOutside(feedback, asked.project_id, on)) {
    members.delete("queue_id");
    const text = writeMembers(members);
    const record = parseJson(text) as JsonObject;
    const read = (field: string): Json => valueAt(record, splitFieldPath(field));
    if (condition !== null && (await runSteps(condition(read), turns, text.length)) !== true) continue;
    const isShown = count >= from && count < to;
    count++;
    if (keys.length === 0 && !isShown) continue;
    const shown = asked.fields == null ? text : only(members, asked.fields);
    found.push({ text: hold(shown), order: sortValues(keys, record) });
  }
  const page =
    keys.length === 0
      ? found
      : (await sortInSlices(found, (a, b) => compareBy(keys, a.order, b.order))).slice(from, to);
  yield* writeListAnswer(
    "result",
    page.map(({ text }) => text),
    `,"total_count":${count}`,
  );
}

/** The one reference that a record must be on to be selected, where the query says so. */
function referenceIn(expression: unknown): string | undefined {
  if (typeof expression !== "object" || expression === null) return undefined;
  if ("$and" in expression && Array.isArray(expression.$and))
    return (expression.$and as readonly unknown[]).map(referenceIn).find((one) => one !== undefined);
  if (!("$eq" in expression) || !Array.isArray(expression.$eq)) return undefined;
  const operands = expression.$eq as readonly object[];
  const isOn = operands.some((one) => "$getField" in one && one.$getField === "weave_ref");
  const literals = operands.flatMap((one) => ("$literal" in one ? [one.$literal] : []));
  const [literal] = literals;
  return isOn && typeof literal === "string" ? literal : undefined;
}

function only(members: ReadonlyMap<string, string>, fields: readonly string[]): string {
  return writeMembers(new Map([...members].filter(([name]) => fields.includes(name))));
}
