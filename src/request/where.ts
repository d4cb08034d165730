import { z } from "zod";
import { fieldName, membersUpTo } from "../model/arguments.ts";
import { jsonPointer, splitFieldPath } from "../model/field-path.ts";
import { meaningless } from "./meaningless.ts";

/** What a member of a root call must be. */
export type WhereValue = string | number | boolean | null;

/** A condition on a member of a root call. */
export interface RootCondition {
  /** The field as it was named. */
  readonly field: string;
  /** JSON pointer into the record of the root call. */
  readonly pointer: string;
  /** Whether the member is a reference to a model, to be compared by the model's name. */
  readonly isModel: boolean;
  /** One of these must be the member's value. */
  readonly values: readonly WhereValue[];
}

export const MOST_VALUE_CHARACTERS = 10_000;
const MOST_FIELDS = 100;
export const MOST_VALUES = 1000;

export const scalar = z.union([z.string().max(MOST_VALUE_CHARACTERS), z.number(), z.boolean(), z.null()]);

/** The wire format of `where`. */
export const whereWire = membersUpTo(
  MOST_FIELDS,
  z.record(fieldName, z.union([scalar, z.array(scalar).min(1).max(MOST_VALUES)])),
);

/** How the tasks of a model weigh: each by its rows, or all alike. */
export type TaskWeights = "rows" | "tasks";

export const TASK_WEIGHTS = ["rows", "tasks"] as const satisfies readonly TaskWeights[];

/** What a request by model pools cannot go with. Throws `RequestError`. */
export function checkWeights(
  by: "evaluation" | "model" | null | undefined,
  needing: Readonly<Record<string, unknown>>,
  excluded: Readonly<Record<string, unknown>>,
): void {
  for (const [member, value] of Object.entries(needing))
    if (value != null && by !== "model") throw meaningless([member], 'goes with by: "model" alone');
  for (const [member, value] of Object.entries(excluded))
    if (value != null)
      throw meaningless([member], "does not go together with tasks that are pooled; leave one of them out");
}

const OBJECTS = new Set(["attributes", "inputs", "output", "summary"]);
const TEXTS = new Set(["display_name", "op_name"]);

/** Reads the conditions of `where`. Throws `RequestError` on a field that root calls do not have. */
export function readConditions(
  where: Readonly<Record<string, WhereValue | readonly WhereValue[]>>,
): RootCondition[] {
  return Object.entries(where).map(([field, wanted]) => {
    const values = typeof wanted === "object" && wanted !== null ? wanted : [wanted];
    if (field === "model") return { field, pointer: "/inputs/model", isModel: true, values };
    const segments = splitFieldPath(field);
    const [root = "", ...below] = segments;
    const isMember = OBJECTS.has(root) && below.length > 0 && !below.includes("");
    if (!isMember && !(TEXTS.has(root) && below.length === 0)) throw unknownField(field);
    return { field, pointer: jsonPointer(segments), isModel: false, values };
  });
}

function unknownField(field: string): Error {
  return meaningless(
    ["where", field],
    `evaluations have no field ${JSON.stringify(field)}; there are attributes.<name>, inputs.<name>, output.<name>, summary.<name>, display_name, op_name and model`,
  );
}
