import { compileLongTrue } from "../../compile/filter/long-texts.ts";
import { compileLongSearch, isFiltered, selectedRows } from "../../compile/rows/selected-rows.ts";
import { compileLongDocuments } from "../../compile/rows/sort-keys.ts";
import { rowDigest, type Key } from "../../model/digest.ts";
import { isJsonObject, parseJson, writeJson, type Json } from "../../model/json.ts";
import {
  mayBeLong,
  type FieldSource,
  type FilterPlan,
  type LongReadings,
  type Plan,
  type SortPlan,
  type TextField,
} from "../../plan/plan.ts";
import type { EvalRequest } from "../../request/eval-request.ts";
import { fieldsOf } from "../../request/expression.ts";
import type { Session } from "../../store/session.ts";
import type { Sql } from "../../store/sql.ts";
import { inOrder, orderOf, ranges, readingsOf } from "./long-readings.ts";

/**
 * A plan with what long texts say where it asks for more than their heads. They are read in ranges, each by a statement
 * of its own, and after everything else that leaves rows out.
 */
export async function withLongTexts<P extends Plan | null>(
  session: Session,
  given: P,
  { slices, clusterBy }: Pick<EvalRequest, "slices" | "clusterBy">,
): Promise<P> {
  if (given === null || !given.longTexts) return given;
  const longNumbers = await numbersIn(session, given);
  let plan: Plan = { ...given, longNumbers };
  for (const [g, group] of plan.filterGroups.entries())
    for (const [i, filter] of outputsLast(group)) {
      const found = await trueOf(session, plan, filter, rowsBeside(plan, g, i));
      if (found === null) continue;
      const groups = plan.filterGroups;
      const now = (groups[g] ?? []).with(i, { ...filter, longTrue: found });
      plan = Object.assign({}, plan, { filterGroups: groups.with(g, now) });
    }
  if (plan.search !== null) plan = { ...plan, longFound: await searched(session, plan, plan.search) };
  if (slices !== null || clusterBy !== null) plan = await withShortRows(session, plan);
  return { ...given, ...plan, rows: plan.rows === null ? null : await sorted(session, plan) };
}

/** A plan by which documents of all rows can be read at once, since their long texts are shortened. */
async function withShortRows(session: Session, plan: Plan): Promise<Plan> {
  if (!plan.longTexts || plan.shortRows !== null) return plan;
  const fields: readonly FieldSource[] = [{ kind: "input", pointer: "" }];
  const use = { evaluationKeys: plan.evaluationKeys, fields, condition: null, among: null };
  const found = new Map<Key, string>();
  for await (const range of ranges(session, plan, use))
    for (const { key, document } of await session.all(compileLongDocuments(range))) {
      await session.turns.take();
      found.set(key, writeJson(shortened(parseJson(document))));
    }
  return { ...plan, shortRows: { rowKeys: [...found.keys()], documents: [...found.values()] } };
}

/** Characters of a text, and items of a list, that stay. */
const MOST_CHARACTERS = 1000;
const MOST_ITEMS = 100;

/** A value with shorter texts, which are equal where the texts are, and shorter lists. */
function shortened(value: Json): Json {
  if (typeof value === "string")
    return value.length <= MOST_CHARACTERS
      ? value
      : `${value.slice(0, MOST_CHARACTERS).toWellFormed()}… ${rowDigest(value)}`;
  if (Array.isArray(value)) return (value as readonly Json[]).slice(0, MOST_ITEMS).map(shortened);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shortened(member)]));
}

async function numbersIn(session: Session, plan: Plan): Promise<Plan["longNumbers"]> {
  const found: [string, LongReadings][] = [];
  for (const field of numberFields(plan)) {
    const use = { evaluationKeys: plan.evaluationKeys, fields: [field], condition: null, among: null };
    found.push([JSON.stringify(field), orderOf(await readingsOf(session, plan, use, field))]);
  }
  return Object.fromEntries(found);
}

/** Fields of which numbers are wanted, whatever rows are chosen. */
function numberFields({ filterGroups, moved, missing }: Plan): readonly TextField[] {
  const ofMeans = filterGroups
    .flat()
    .flatMap(({ quantifier, condition }) => (quantifier === "mean" ? [...fieldsOf(condition)] : []));
  const all: readonly (FieldSource | null)[] = [...ofMeans, moved?.field ?? null, missing];
  const fields = all.flatMap((field) => (field !== null && mayBeLong(field) ? [field] : []));
  return [...new Map(fields.map((field) => [JSON.stringify(field), field])).values()];
}

/** Filters with their places, those of outputs last: mostly only these have long texts. */
function outputsLast(group: readonly FilterPlan[]): readonly (readonly [number, FilterPlan])[] {
  return [...group.entries()].toSorted(([, a], [, b]) => Number(ofOutputs(a)) - Number(ofOutputs(b)));
}

function ofOutputs({ condition }: FilterPlan): boolean {
  return [...fieldsOf(condition)].some((field) => field.kind === "output" && mayBeLong(field));
}

/** The rows that all of the plan keeps but one filter, and other groups; null where that leaves out none. */
function rowsBeside(plan: Plan, g: number, i: number): Sql | null {
  const known = (plan.filterGroups[g] ?? []).filter((one, k) => k !== i && isKnown(one));
  return rowsOf({ ...plan, filterGroups: known.length === 0 ? [] : [known], search: null });
}

function rowsOf(plan: Plan): Sql | null {
  const { rows, summary } = plan;
  const intersection = rows !== null && rows.intersection && summary?.intersection !== false;
  return intersection || isFiltered(plan) ? selectedRows(plan, intersection) : null;
}

/** Whether a filter needs no long text any more. */
function isKnown({ condition, quantifier, longTrue }: FilterPlan): boolean {
  return quantifier === "mean" || longTrue !== undefined || ![...fieldsOf(condition)].some(mayBeLong);
}

async function trueOf(
  session: Session,
  plan: Plan,
  filter: FilterPlan,
  among: Sql | null,
): Promise<readonly Key[] | null> {
  const { evaluationKeys, condition } = filter;
  if (isKnown(filter) || evaluationKeys === null) return null;
  const found: Key[] = [];
  for await (const range of ranges(session, plan, {
    evaluationKeys,
    fields: fieldsOf(condition),
    condition,
    among,
  }))
    for (const { key } of await session.all(compileLongTrue(range, filter))) found.push(key);
  return found;
}

const SEARCHED: readonly TextField[] = [
  { kind: "output", of: "model", pointer: "" },
  { kind: "input", pointer: "" },
];

async function searched(session: Session, plan: Plan, search: string): Promise<readonly Key[]> {
  const { evaluationKeys } = plan;
  const among = rowsOf({ ...plan, search: null });
  const found = new Set<Key>();
  for (const field of SEARCHED) {
    const use = { evaluationKeys, fields: [field], condition: null, among };
    for await (const range of ranges(session, plan, use))
      for (const { key } of await session.all(compileLongSearch(range, search))) found.add(key);
  }
  return [...found];
}

/** The rows of the plan, of whose orders long texts are read. */
async function sorted(session: Session, plan: Plan): Promise<Plan["rows"]> {
  const { rows } = plan;
  if (rows === null) return null;
  const sortBy: SortPlan[] = [];
  for (const sort of rows.sortBy) {
    const { field, evaluationKeys } = sort;
    if (!mayBeLong(field)) {
      sortBy.push(sort);
      continue;
    }
    const among = rowsOf({ ...plan, rows: { ...rows, sortBy: [] } });
    const use = { evaluationKeys, fields: [field], condition: null, among };
    sortBy.push({
      ...sort,
      long: await inOrder(session, plan, field, await readingsOf(session, plan, use, field)),
    });
  }
  return { ...rows, sortBy };
}
