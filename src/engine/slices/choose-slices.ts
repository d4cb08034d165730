import {
  compileFieldKinds,
  compileMemberNames,
  compileSampledAttributes,
  compileSliceValues,
  type SliceScope,
  type SliceSet,
} from "../../compile/statistics/slices.ts";
import { fieldText, jsonPointer } from "../../model/field-path.ts";
import { didYouMean } from "../../model/nearest.ts";
import { ROW_PREFIX } from "../../plan/virtual-leaves.ts";
import { meantPaths, missingText } from "../../plan/field-warnings.ts";
import { meaningless } from "../../request/meaningless.ts";
import { isOfTrials, type SliceField, type SlicesAsked } from "../../request/slice-by.ts";
import { valueOfKey, type SlicedRows, type Slicing } from "../../respond/summary/slicing.ts";
import { compareText } from "../../model/text-order.ts";
import type { RowOf } from "../../store/query.ts";
import type { Session } from "../../store/session.ts";
import { memberPaths } from "../catalog/field-warnings.ts";
import { nameText, quotedName } from "../../model/name-text.ts";

/** The slices of some fields: what is said of them, those that are judged, and how SQL numbers them. */
export interface ChosenSlices {
  readonly slicing: Slicing;
  readonly values: readonly SlicedRows[];
  readonly set: SliceSet;
  readonly warnings: readonly string[];
}

const MOST_OTHERS = 200;

/**
 * The slices of the fields that are named. Throws `RequestError` where no row has a value of them; `fieldWarnings` say
 * what fields the rows have instead.
 */
export async function chooseSlices(
  session: Session,
  scope: SliceScope,
  asked: readonly SliceField[],
  most: number,
  fieldWarnings: readonly string[],
): Promise<ChosenSlices> {
  const fields = asked.map((field) => withNumbers(scope, field));
  const found = await findSlices(session, scope, fields, most, { first: 0, any: -1 });
  if (found !== null) return found;
  const said = fieldWarnings.flatMap((one) => missingText(one, "by") ?? []);
  if (said.length > 0) throw meaningless(["by"], said.join("; "));
  for (const field of fields)
    if (fields.length === 1 || (await findSlices(session, scope, [field], 1, { first: 0, any: -1 })) === null)
      throw await missingValue(session, scope, field);
  const noun = isOfTrials(fields) ? "trial" : "row";
  throw meaningless(["by"], `no ${noun} has both ${fields.map(({ name }) => nameText(name)).join(" and ")}`);
}

/** A field of what is known of rows with that, so that all comparisons of an answer have the same slices. */
function withNumbers({ plan }: SliceScope, field: SliceField): SliceField {
  const name = JSON.stringify([...ROW_PREFIX, ...field.segments]);
  const leaf = plan.virtualLeaves.find(({ path }) => JSON.stringify(path) === name);
  return field.root === "row" && leaf?.kind === "difficulty" ? { ...field, numbers: leaf.numbers } : field;
}

async function missingValue(session: Session, scope: SliceScope, field: SliceField): Promise<Error> {
  const noun = isOfTrials([field]) ? "trial" : "row";
  const said =
    field.placed !== undefined
      ? `no row that both have has ${nameText(field.name)} in the run ${quotedName(field.placed.of)}`
      : `no ${noun} has a text, number, true or false at ${nameText(field.name)}`;
  if (field.root !== "attributes") return meaningless(["by"], said);
  const sampled = await session.all(compileSampledAttributes(scope));
  const known = memberPaths(sampled.map(({ document }) => document));
  const near = meantPaths(field.segments, known).near.slice(0, SUGGESTED);
  const names = near.map((path) => nameText(fieldText(["attributes", ...path])));
  const listed = didYouMean(field.name, names) || `; there are ${names.join(", ")}`;
  return meaningless(["by"], near.length === 0 ? said : `${said}${listed}`);
}

const SUGGESTED = 5;

/** null where no row has a value. */
async function findSlices(
  session: Session,
  scope: SliceScope,
  fields: readonly SliceField[],
  most: number,
  numbers: Pick<SliceSet, "first" | "any">,
): Promise<ChosenSlices | null> {
  const found = await session.all(compileSliceValues(scope, fields, most + MOST_OTHERS));
  const [first] = found;
  if (first === undefined) return null;
  const ofTrials = isOfTrials(fields);
  const rows = found.map(({ key, rows: count, units }): SlicedRows => ({
    value: key.map(valueOfKey),
    row_count: count,
    ...(ofTrials ? { trial_count: units } : {}),
  }));
  const names = fields.map(({ name }) => name);
  const noun = ofTrials ? "trial" : "row";
  const alone = `by: ${first.single} of the ${first.slices} values of ${names.map((name) => nameText(name)).join(" and ")} have one ${noun} only, so it does not group the ${noun}s`;
  return {
    slicing: {
      fields: names,
      slice_count: first.slices,
      overlapping: first.placed > first.inSome,
      others: rows.slice(most),
      ...(ofTrials ? { descriptive: true } : {}),
    },
    values: rows.slice(0, most),
    set: { fields, keys: found.slice(0, most).map(({ key }) => key), ...numbers },
    warnings: first.single * 2 > first.slices ? [alone] : [],
  };
}

/** The least and the largest number of values of a field that `auto` tries, and the least rows of two of them. */
const VALUES = { least: 2, most: 20, rows: 5 };
const MOST_TRIED = 500;
const FIELDS_AT_ONCE = 20;

/**
 * The slices of every field of the rows that groups them, by name; a field has few values, and half of the rows have
 * it.
 */
export async function tryFields(
  session: Session,
  scope: SliceScope,
  { most }: SlicesAsked,
): Promise<{ readonly choices: readonly ChosenSlices[]; readonly warnings: readonly string[] }> {
  const all = await rowFields(session, scope);
  const fields = all.slice(0, MOST_TRIED);
  const choices: ChosenSlices[] = [];
  let first = 0;
  for (let i = 0; i < fields.length; i += FIELDS_AT_ONCE) {
    const part = fields.slice(i, i + FIELDS_AT_ONCE);
    const [kinds = []] = await session.all(compileFieldKinds(scope, part));
    for (const field of part.filter((_, k) => mayGroup(kinds[k]))) {
      const found = await findSlices(session, scope, [field], most, { first, any: -1 - choices.length });
      const slices = found === null ? [] : [...found.values, ...found.slicing.others];
      if (found === null || slices.filter((one) => one.row_count >= VALUES.rows).length < VALUES.least)
        continue;
      choices.push(found);
      first += found.values.length;
    }
  }
  const left = all.length - fields.length;
  const tried = choices.flatMap(({ slicing }) => slicing.fields);
  return {
    choices: choices.map((one) => ({ ...one, slicing: { ...one.slicing, fields_tried: tried } })),
    warnings: left === 0 ? [] : [`by: rows have ${all.length} fields; the first ${MOST_TRIED} are looked at`],
  };
}

function mayGroup(kind: RowOf<typeof compileFieldKinds>[number] | undefined): boolean {
  if (kind === undefined || kind.hasLists || kind.present * 2 < kind.rows) return false;
  return kind.distinct >= VALUES.least && kind.distinct <= VALUES.most;
}

/** The members of the rows and of the objects in them, by name. */
async function rowFields(session: Session, scope: SliceScope): Promise<SliceField[]> {
  const top = await membersOf(session, scope, [[]]);
  const below: (readonly string[])[] = [];
  for (let i = 0; i < top.length; i += FIELDS_AT_ONCE)
    below.push(...(await membersOf(session, scope, top.slice(i, i + FIELDS_AT_ONCE))));
  const fields = [...top, ...below].map((segments): SliceField => {
    const name = fieldText(["inputs", ...segments]);
    return { name, root: "inputs", segments, pointer: jsonPointer(segments) };
  });
  return fields.toSorted((a, b) => compareText(a.name, b.name));
}

/** The paths of the members of the values at some paths; no field has a member without a name. */
async function membersOf(
  session: Session,
  scope: SliceScope,
  parents: readonly (readonly string[])[],
): Promise<readonly (readonly string[])[]> {
  const found = await session.all(compileMemberNames(scope, parents.map(jsonPointer)));
  const names = new Map(found.map((one) => [`${one.parent}:${one.name}`, one]));
  return [...names.values()]
    .filter(({ name }) => name !== "")
    .map(({ parent, name }) => [...(parents[parent] ?? []), name]);
}
