import {
  compileErrorGroups,
  compileFailedMarks,
  type ErrorRecord,
  type ScorerMark,
} from "../../compile/statistics/error-groups.ts";
import type { Narrowing } from "../../compile/rows/selected-rows.ts";
import { createCallReading, scorerOf } from "../../ingest/record/call-reading.ts";
import type { Conventions } from "../../model/conventions.ts";
import { jsonPointer } from "../../model/field-path.ts";
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { Plan } from "../../plan/plan.ts";
import type { EvaluationErrors } from "../../respond/summary/summary.ts";
import type { ErrorGroup } from "../../respond/summary/scorer-stats.ts";
import type { Session } from "../../store/session.ts";

/** Groups of errors that an evaluation tells. */
const MOST_GROUPS = 20;

/** Reads the errors of the evaluations of a plan by evaluation key; one without errors has no entry. */
export async function readErrorGroups(
  session: Session,
  conventions: Conventions,
  plan: Plan,
  narrowing: Narrowing,
): Promise<ReadonlyMap<number, EvaluationErrors>> {
  const places = markPlaces(conventions);
  const pointers = places.map(jsonPointer);
  const marks = plan.includeChildren ? await readMarks(session, conventions, plan, places) : [];
  const found = await session.all(compileErrorGroups(plan, narrowing, pointers, marks, MOST_GROUPS));
  const all = new Map<number, { errors: ErrorGroup[]; other_error_count: number }>();
  for (const one of found) {
    const before = all.get(one.evaluationKey) ?? { errors: [], other_error_count: one.total };
    before.errors.push(groupOf(one));
    before.other_error_count -= one.count;
    all.set(one.evaluationKey, before);
  }
  return all;
}

function groupOf({ scorer, text, count, example, rowDigest }: ErrorRecord): ErrorGroup {
  return { text, count, kind: scorer === null ? "trial" : "scorer", scorer, example, row_digest: rowDigest };
}

/** The members of attributes that tell a score call and its scorer. */
function markPlaces({ attributeNamespaces }: Conventions): (readonly string[])[] {
  const members = attributeNamespaces.flatMap((name) => [
    [name, "score"],
    [name, "scorer"],
  ]);
  return [...members, ["_weave_eval_meta", "score"]].map((place) => ["attributes", ...place]);
}

/** The scorers of the failed score calls of a plan. */
async function readMarks(
  session: Session,
  conventions: Conventions,
  plan: Plan,
  places: readonly (readonly string[])[],
): Promise<readonly ScorerMark[]> {
  const reading = createCallReading(conventions);
  const found = await session.all(compileFailedMarks(plan, places.map(jsonPointer)));
  return found.flatMap(({ mark }) => {
    const [op, ...values] = JSON.parse(mark) as readonly Json[];
    const attributes = attributesOf(places, values);
    const scorer = scorerOf(attributes, typeof op === "string" ? op : "", reading);
    return scorer === null || scorer === "" ? [] : [{ mark, scorer }];
  });
}

/** Attributes that have these values at their places. */
function attributesOf(places: readonly (readonly string[])[], values: readonly Json[]): JsonObject {
  const attributes: Record<string, JsonObject> = {};
  for (const [i, [, space = "", member = ""]] of places.entries()) {
    const before = attributes[space];
    attributes[space] = { ...(isJsonObject(before) ? before : {}), [member]: values[i] ?? null };
  }
  return attributes;
}
