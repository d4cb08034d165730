import { MOST_SEGMENTS } from "../../../model/field-path.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../model/json.ts";
import type { LogSource, ReadContext } from "../../format.ts";
import { countOf, nameList } from "../../../model/messages.ts";
import { noSamples, SourceFault } from "../../read/fault.ts";
import { objectAt, omit, textAt } from "../../read/members.ts";
import type { TableMapping } from "../../translate/table-mapping.ts";
import type { Head } from "../../recognise/head.ts";
import { isPrefixObject } from "../../recognise/json-prefix.ts";
import { readMoment } from "../../translate/times.ts";
import { isFigureName } from "./figure-names.ts";
import type { Stated } from "./figures.ts";
import { firstFitting, plainName } from "./guess-names.ts";
import { withDotted } from "./dotted-columns.ts";
import { pageOf } from "./pages.ts";
import { withMembers } from "./members.ts";
import { applyProfile } from "./profiles/apply-profile.ts";
import { withoutFigures } from "./first-figures.ts";
import { isObjectTable, openTable } from "./open-table.ts";
import { type OuterFigures, recordsTable } from "./record-tables.ts";
import { besideList } from "./readers/json-table.ts";
import {
  findPlaces,
  namedPlace,
  OF_TESTS,
  OUTER_MODEL,
  OUTER_TASK,
  outerColumn,
  type RecordPlace,
} from "./record-places.ts";
import { nameIn, PLACE, type TableReader, withPlaces } from "./readers/table-reader.ts";
import { ambiguous } from "./given-texts.ts";
import { namesOf } from "./roles.ts";
import { type MemberedTable, settleTable, type SettledTable } from "./settle-table.ts";

/** What is said of a run beside its records. */
export interface TableRun {
  /** Microseconds since 1970; null where that is not said. */
  readonly startedAt: bigint | null;
  readonly spec: JsonObject;
  /** Figures to check. */
  readonly figures: readonly Stated[];
  /** Why the records are only a part of those that there are; null for all of them. */
  readonly partOf: string | null;
  readonly notes: readonly string[];
}

/** A table whose records were found, and whose roles are known. */
export interface FoundTable extends SettledTable {
  readonly profiled: MemberedTable;
  readonly run: TableRun;
}

/** Members that are those of every record, or figures; the others are kept as they are. */
const CONSTANTS = ["model", "model_name", "task", "dataset", "timestamp", "run_at"];
const FIGURES = ["summary", "metrics", "aggregate", "aggregates", "scores"];
const LONGEST_SPEC = 256 * 1024;

/**
 * Opens a table and finds its roles; of a JSON document, the one place that has records. Throws {@link SourceFault}.
 */
export async function findTable(source: LogSource, context: ReadContext): Promise<FoundTable> {
  if (!isObjectTable(source.head)) return await plainTable(source, context);
  const { records } = context.table;
  const { json } = source.head;
  if (records !== undefined && records.split(".").length > MOST_SEGMENTS)
    throw ambiguous(`--records: a place has at most ${MOST_SEGMENTS} names between dots`);
  const places = records === undefined ? await findPlaces(source.file, json) : [namedPlace(json, records)];
  const found: { readonly place: RecordPlace; readonly table: FoundTable }[] = [];
  const faults: SourceFault[] = [];
  for (const place of places) {
    if (
      isCovered(
        place,
        found.map((one) => one.place),
      )
    )
      continue;
    const table = await tableOf(source, place, context, records !== undefined);
    if (table instanceof SourceFault) faults.push(table);
    else found.push({ place, table });
  }
  const [first, ...others] = found;
  if (first === undefined) throw bestFault(faults) ?? ambiguous(withoutRecords(source.head));
  if (others.length === 0) return first.table;
  const said = found.map(({ place }) => `${named(place)} (${place.length ?? "?"} records)`).join(" and ");
  throw ambiguous(`${said} may both be the table: --records ${first.place.path} names one`);
}

const isByKey = (kind: RecordPlace["kind"]) => kind !== "list" && kind !== "inner";

/** Whether records were found in a place within, or, for an object by key, anywhere. */
function isCovered({ kind, names }: RecordPlace, found: readonly RecordPlace[]): boolean {
  if (isByKey(kind)) return found.length > 0;
  return found.some(
    (one) => one.names.length > names.length && names.every((name, i) => name === one.names[i]),
  );
}

/**
 * The fault that helps most: of records that lack only what tells their row, else any but the lack of a score or of a
 * row.
 */
function bestFault(faults: readonly SourceFault[]): SourceFault | undefined {
  return (
    faults.find(({ message }) => message.includes(NOTHING_TELLS)) ??
    faults.find(({ message }) => !/^no column (is a score|tells)/.test(message))
  );
}

const named = ({ path }: RecordPlace) => path || "the document";

/** A file whose records stand by themselves. */
async function plainTable(source: LogSource, context: ReadContext): Promise<FoundTable> {
  const { reader, beside } = await withoutFigures(await openTable(source, context), context.table);
  const given = { ...constantsOf(beside, reader.columns, context.table), ...context.table };
  const profiled = await memberedTable(placed(reader, given), given);
  const { columns, records, figures = new Map() } = profiled.reader;
  if (columns.length === 0) {
    for await (const { place, fault } of records())
      if (fault !== undefined) throw new SourceFault("invalid", place, fault);
    const why = profiled.reader.notes?.()[0];
    throw noSamples(`holds no values; there is nothing to import${why === undefined ? "" : `: ${why}`}`);
  }
  if (isOneObject(source.head) && tellsNoRow(columns, profiled.given))
    throw ambiguous(withoutRecords(source.head));
  const settled = await settleTable(profiled);
  const run = runOf(beside, []);
  const own = Array.from(figures, ([stat, value]) => ({ name: stat, value, task: null }));
  return { ...settled, profiled, run: { ...run, figures: [...run.figures, ...own] } };
}

/** A table as its tool has it, with members of objects as columns. */
async function memberedTable(reader: TableReader, given: TableMapping): Promise<MemberedTable> {
  const profiled = await applyProfile(reader, given);
  const isKnown = profiled.profile !== null;
  if (isKnown) return { ...profiled, ...(await withMembers(profiled.reader, profiled.given, isKnown)) };
  const dotted = withDotted(profiled.reader, profiled.given);
  const members = await withMembers(dotted.reader, dotted.given, isKnown);
  const [sure, texts] = [
    new Set([...members.sure, ...dotted.sure]),
    new Set([...members.texts, ...dotted.texts]),
  ];
  return { ...profiled, ...members, sure, texts };
}

/** With the column of places where the caller names it. */
function placed(reader: TableReader, given: TableMapping): TableReader {
  const isNamed = Object.values(given).some((columns) => [columns].flat().includes(PLACE));
  return isNamed && !reader.columns.includes(PLACE) ? withPlaces(reader) : reader;
}

/** The table of a place, or why it is none. */
async function tableOf(
  { file, head }: LogSource,
  place: RecordPlace,
  { table: caller }: ReadContext,
  isNamed: boolean,
): Promise<FoundTable | SourceFault> {
  const beside = await besideList(file, place.names);
  const outer: OuterFigures[] = [];
  const opened = recordsTable(file, head.json, place, (one) => outer.push(one));
  const { reader, beside: first } = await withoutFigures(opened, caller);
  if (reader.columns.length === 0 && isNamed)
    throw ambiguous(`--records: there is no list of objects at ${JSON.stringify(place.path)}`);
  const around = { ...first, ...beside };
  const given = { ...givenBy(place, around, reader.columns, caller), ...caller };
  const settle = async (mapping: TableMapping) => {
    const profiled = await memberedTable(placed(reader, mapping), mapping);
    return { ...(await settleTable(profiled)), profiled };
  };
  const settled = await orFault(() => settle(given));
  if (!(settled instanceof SourceFault)) {
    const count = place.length === null ? "" : `${place.length} `;
    const note = `the ${count}records of ${named(place)} are the table`;
    return { ...settled, run: { ...runOf(around, outer, place.length), notes: [note] } };
  }
  const byPlace = tellsNoRow(reader.columns, given)
    ? await orFault(() => settle({ ...given, row: PLACE }))
    : settled;
  const fault = byPlace instanceof SourceFault ? settled : withoutRow(place, byPlace);
  if (isNamed) throw fault;
  return fault;
}

const NOTHING_TELLS = "and nothing tells what was asked";

function withoutRow(place: RecordPlace, { view }: SettledTable): SourceFault {
  const scores = nameList(view.roles.score) || view.roles.value.join();
  const held = place.length === null ? "records" : countOf(place.length, "record");
  return ambiguous(
    `${named(place)} holds ${held} with the score ${scores}, ${NOTHING_TELLS}: --row-column or --input-column, or --row-column '#' for their place`,
  );
}

async function orFault<T>(read: () => Promise<T>): Promise<T | SourceFault> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof SourceFault && error.code === "ambiguous_mapping" && error.place === null)
      return error;
    throw error;
  }
}

/** What the objects around records say of all of them, where neither the records nor the caller do. */
function givenBy(
  { kind, names }: RecordPlace,
  beside: JsonObject,
  columns: readonly string[],
  given: TableMapping,
): TableMapping {
  const isTest = OF_TESTS.has(plainName(names.at(-1) ?? "")) && columns.includes("name");
  const byName = isTest && tellsNoRow(columns, given) ? { row: "name" } : {};
  const constants = { ...constantsOf(beside, columns, given), ...byName };
  if (isByKey(kind)) {
    const isAsked = kind === "counted" && firstFitting(columns, namesOf("names", "input")).length > 0;
    return isAsked ? constants : { ...constants, row: PLACE };
  }
  if (kind === "list") return constants;
  const within = names.map((_, i) => names.slice(0, i).join(".")).toReversed();
  const around = (members: readonly string[]) =>
    within
      .flatMap((outer) => members.map((name) => outerColumn(outer, name)))
      .find((column) => columns.includes(column));
  const [task, model] = [around(OUTER_TASK), around(OUTER_MODEL)];
  return {
    ...constants,
    ...(task !== undefined && isOpen("task", columns, given) ? { task, taskName: undefined } : {}),
    ...(model !== undefined && isOpen("model", columns, given) ? { model, modelName: undefined } : {}),
  };
}

function isOpen(role: "model" | "task", columns: readonly string[], given: TableMapping): boolean {
  const own = columns.filter((column) => !column.includes("."));
  return (
    given[role] === undefined &&
    given[`${role}Name`] === undefined &&
    firstFitting(own, namesOf("names", role)).length === 0
  );
}

/** Model and task of every record, where neither the records nor the caller say them. */
function constantsOf(beside: JsonObject, columns: readonly string[], given: TableMapping): TableMapping {
  const name = (member: string) => textAt(beside, member) ?? nameIn(objectAt(beside, member));
  const model = name("model") ?? name("model_name") ?? textAt(beside, "info", "agent_info", "llm");
  const task = name("task") ?? name("dataset");
  return {
    ...(model !== null && isOpen("model", columns, given) ? { modelName: model } : {}),
    ...(task !== null && isOpen("task", columns, given) ? { taskName: task } : {}),
  };
}

/** `records`: how many there are; null where that is not known. */
function runOf(beside: JsonObject, outer: readonly OuterFigures[], records: number | null = null): TableRun {
  const partOf = pageOf(beside, records);
  const figures = partOf === null ? figuresIn(beside, null) : [];
  const said = CONSTANTS.filter((name) => !isJsonObject(beside[name]));
  const spec = omit(beside, [...said, ...FIGURES, ...figures.map(({ name }) => name)]);
  const isLong =
    JSON.stringify(spec, (_, value: Json) => (typeof value === "bigint" ? String(value) : value)).length >
    LONGEST_SPEC;
  const tasks = new Map(outer.map((one) => [JSON.stringify(one), one]));
  return {
    startedAt: readMoment(beside["timestamp"]) ?? readMoment(beside["run_at"]),
    spec: isLong ? {} : spec,
    figures: [...figures, ...[...tasks.values()].flatMap(({ members, task }) => figuresIn(members, task))],
    partOf,
    notes: isLong ? [`left out, as they are long: ${nameList(Object.keys(spec))}`] : [],
  };
}

function figuresIn(beside: JsonObject, task: string | null): Stated[] {
  const found = new Map<string, number>();
  const add = (name: string, value: Json) => {
    if (typeof value === "number" && !CONSTANTS.includes(name) && isFigureName(name)) found.set(name, value);
  };
  for (const some of [...FIGURES.map((name) => objectAt(beside, name)), beside])
    for (const [name, value] of Object.entries(some)) add(name, value);
  for (const [k, value] of Object.entries(objectAt(beside, "pass_at_k"))) add(`pass@${k}`, value);
  return Array.from(found, ([name, value]) => ({ name, value, task }));
}

function isOneObject({ json, text }: Head): boolean {
  return isPrefixObject(json) && !text.trim().includes("\n");
}

function tellsNoRow(columns: readonly string[], { row, input }: TableMapping): boolean {
  const names = [...namesOf("names", "row", "input"), ...namesOf("uniqueNames", "row")];
  return row === undefined && input === undefined && firstFitting(columns, names).length === 0;
}

function withoutRecords({ json }: Head): string {
  const members = nameList(Object.keys(isPrefixObject(json) ? json : {}));
  return `an object with ${members}; no list in it holds records with a score (--records, --row-column and --score-column name them)`;
}
