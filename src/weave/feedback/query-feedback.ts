import type { z } from "zod";
import { splitFieldPath } from "../../model/field-path.ts";
import { NO_DETAILS } from "../../store/scorer-details.ts";
import { selectRecords } from "../conditions/select-records.ts";
import type { WeaveSeam } from "../request/seam.ts";
import { writeListAnswer } from "../request/long-answers.ts";
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
  const { page, count } = await selectRecords(shownRecords(feedback, asked), asked, isField);
  yield* writeListAnswer("result", page, `,"total_count":${count}`);
}

async function* shownRecords(feedback: WeaveSeam["feedback"], { project_id, query }: Asked) {
  for await (const members of feedbackOutside(feedback, project_id, { svcRef: referenceIn(query?.$expr) })) {
    members.delete("queue_id");
    yield members;
  }
}

/** The one reference that a record must be on to be selected, where the query says so. */
function referenceIn(expression: unknown): string | null {
  if (typeof expression !== "object" || expression === null) return null;
  if ("$and" in expression && Array.isArray(expression.$and))
    return (expression.$and as readonly unknown[]).map(referenceIn).find((one) => one !== null) ?? null;
  if (!("$eq" in expression) || !Array.isArray(expression.$eq)) return null;
  const operands = expression.$eq as readonly object[];
  const isOn = operands.some((one) => "$getField" in one && one.$getField === "weave_ref");
  const literals = operands.flatMap((one) => ("$literal" in one ? [one.$literal] : []));
  const [literal] = literals;
  return isOn && typeof literal === "string" ? literal : null;
}
