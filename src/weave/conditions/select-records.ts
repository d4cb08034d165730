import { z } from "zod";
import { projectId, textList } from "../../model/arguments.ts";
import { createTurnTaker, runSteps, sortInSlices } from "../../model/turns.ts";
import { splitFieldPath } from "../../model/field-path.ts";
import { parseJson, type Json, type JsonObject } from "../../model/json.ts";
import { writeMembers } from "../../model/member-texts.ts";
import { createHold } from "../request/long-answers.ts";
import { conditionOf } from "./condition.ts";
import { querySchema, valueAt } from "./operands.ts";
import { compareBy, sortKeys, sortOrder, sortValues } from "./order.ts";

/** Which records of a project are wanted, in which order, and what of them. */
export const recordQuery = z.looseObject({
  project_id: projectId,
  query: querySchema.nullish(),
  fields: textList.nullish(),
  sort_by: sortOrder,
  limit: z.int().nonnegative().nullish(),
  offset: z.int().nonnegative().nullish(),
});

/**
 * The JSON texts of the records of a page, from the JSON texts of their members, and how many the query selects;
 * without an order as they come. `isField` knows the fields of conditions.
 */
export async function selectRecords(
  records: AsyncIterable<ReadonlyMap<string, string>>,
  asked: z.output<typeof recordQuery>,
  isField: (field: string) => boolean,
): Promise<{ readonly page: readonly string[]; readonly count: number }> {
  const from = asked.offset ?? 0;
  const to = asked.limit == null ? Infinity : from + asked.limit;
  const condition = asked.query == null ? null : conditionOf(asked.query, isField);
  const turns = createTurnTaker();
  const keys = sortKeys(asked.sort_by);
  const hold = createHold("query", "select less");
  const found: { readonly text: string; readonly order: ReturnType<typeof sortValues> }[] = [];
  let count = 0;
  for await (const members of records) {
    const text = writeMembers(members);
    const record = parseJson(text) as JsonObject;
    const fields = { valueOf: (field: string): Json => valueAt(record, splitFieldPath(field)) };
    if (condition !== null && (await runSteps(condition(fields), turns, text.length)) !== true) continue;
    const isShown = count >= from && count < to;
    count++;
    if (keys.length === 0 && !isShown) continue;
    const shown = asked.fields == null ? text : only(members, asked.fields);
    found.push({ text: hold(shown), order: sortValues(keys, (path) => valueAt(record, path)) });
  }
  const page =
    keys.length === 0
      ? found
      : (await sortInSlices(found, (a, b) => compareBy(keys, a.order, b.order))).slice(from, to);
  return { page: page.map(({ text }) => text), count };
}

function only(members: ReadonlyMap<string, string>, fields: readonly string[]): string {
  return writeMembers(new Map([...members].filter(([name]) => fields.includes(name))));
}
