import { isJsonObject, type Json, type JsonObject } from "../../../model/json.ts";
import type { LogSource, ReadContext } from "../../format.ts";
import { nameList } from "../../../model/messages.ts";
import { noSamples, SourceFault } from "../../read/fault.ts";
import { objectAt, omit, textAt } from "../../read/members.ts";
import type { TableMapping } from "../../translate/table-mapping.ts";
import type { Head } from "../../recognise/head.ts";
import { isPrefixObject } from "../../recognise/json-prefix.ts";
import { readMoment } from "../../translate/times.ts";
import { firstFitting } from "./guess-names.ts";
import { applyProfile, type ProfiledTable } from "./profiles/apply-profile.ts";
import { ambiguous } from "./find-roles.ts";
import { namesOf } from "./roles.ts";
import { settleTable, type SettledTable } from "./settle-table.ts";
import { nameIn } from "./readers/table-reader.ts";
import { isObjectTable, openTable } from "./readers/open-table.ts";
import { besideList, namesAt, recordLists, recordsTable, type RecordList } from "./readers/json-table.ts";

/** What is said of a run beside its records. */
export interface TableRun {
  /** Microseconds since 1970; null where that is not said. */
  readonly startedAt: bigint | null;
  readonly spec: JsonObject;
  /** Figures to check, by their names. */
  readonly figures: ReadonlyMap<string, number>;
  readonly notes: readonly string[];
}

/** A table whose records were found, and whose roles are known. */
export interface FoundTable extends SettledTable {
  readonly profiled: ProfiledTable;
  readonly run: TableRun;
}

const NO_RUN: TableRun = { startedAt: null, spec: {}, figures: new Map(), notes: [] };

/** Members that are those of every record, or figures; the others are kept as they are. */
const CONSTANTS = ["model", "model_name", "task", "dataset", "timestamp", "run_at"];
const FIGURES = ["summary", "metrics", "aggregate", "aggregates", "scores"];
const LONGEST_SPEC = 256 * 1024;

/** Opens a table and finds its roles; of a JSON object, the one list that has records. Throws {@link SourceFault}. */
export async function findTable(source: LogSource, context: ReadContext): Promise<FoundTable> {
  const { name } = source.head;
  if (!isObjectTable(source.head)) {
    const profiled = await applyProfile(await openTable(source, context), context.table);
    const { columns, records } = profiled.reader;
    if (columns.length === 0) {
      for await (const { place, fault } of records())
        if (fault !== undefined) throw new SourceFault("invalid", place, fault);
      throw noSamples("holds no values; there is nothing to import");
    }
    if (isOneObject(source.head) && tellsNoRow(columns, profiled.given))
      throw ambiguous(withoutRecords(source.head));
    return {
      ...(await settleTable(profiled, name)),
      profiled,
      run: { ...NO_RUN, figures: profiled.reader.figures ?? NO_RUN.figures },
    };
  }
  const { records } = context.table;
  const lists =
    records === undefined
      ? await recordLists(source.file)
      : [{ path: records, names: namesAt(source.head.json, records), length: null }];
  const found: { readonly list: RecordList; readonly table: FoundTable }[] = [];
  for (const list of lists) {
    const table = await tableOf(source, list, context, records !== undefined);
    if (table !== null) found.push({ list, table });
  }
  const [first, ...others] = found;
  if (first === undefined) throw ambiguous(withoutRecords(source.head));
  if (others.length === 0) return first.table;
  const said = found.map(({ list }) => `${list.path} (${list.length ?? "?"} records)`).join(" and ");
  throw ambiguous(`${said} may both be the table: --records ${first.list.path} names one`);
}

/** The table of a list; null where no row or no score is found in it. */
async function tableOf(
  { file, head }: LogSource,
  { path, names, length }: RecordList,
  { table: given }: ReadContext,
  isNamed: boolean,
): Promise<FoundTable | null> {
  const beside = await besideList(file, names);
  try {
    const reader = recordsTable(file, names);
    await reader.findColumns?.();
    if (reader.columns.length === 0 && isNamed)
      throw ambiguous(`--records: there is no list of objects at ${JSON.stringify(path)}`);
    const profiled = await applyProfile(reader, { ...constantsOf(beside, reader.columns, given), ...given });
    const settled = await settleTable(profiled, head.name);
    return {
      ...settled,
      profiled,
      run: runOf(beside, `the ${length === null ? "" : `${length} `}records of ${path} are the table`),
    };
  } catch (error) {
    if (
      isNamed ||
      !(error instanceof SourceFault) ||
      error.code !== "ambiguous_mapping" ||
      error.place !== null
    )
      throw error;
    return null;
  }
}

/** Model and task of every record, where neither the records nor the caller say them. */
function constantsOf(beside: JsonObject, columns: readonly string[], given: TableMapping): TableMapping {
  const named = (name: string) => textAt(beside, name) ?? nameIn(objectAt(beside, name));
  const model = named("model") ?? named("model_name");
  const task = named("task") ?? named("dataset");
  const isOpen = (role: "model" | "task") =>
    given[role] === undefined && firstFitting(columns, namesOf("names", role)).length === 0;
  return {
    ...(model !== null && isOpen("model") ? { modelName: model } : {}),
    ...(task !== null && isOpen("task") ? { taskName: task } : {}),
  };
}

function runOf(beside: JsonObject, note: string): TableRun {
  const figures = new Map<string, number>();
  for (const some of [...FIGURES.map((name) => objectAt(beside, name)), beside])
    for (const [name, value] of Object.entries(some))
      if (typeof value === "number" && !CONSTANTS.includes(name)) figures.set(name, value);
  const said = CONSTANTS.filter((name) => !isJsonObject(beside[name]));
  const spec = omit(beside, [...said, ...FIGURES, ...figures.keys()]);
  const isLong =
    JSON.stringify(spec, (_, value: Json) => (typeof value === "bigint" ? String(value) : value)).length >
    LONGEST_SPEC;
  return {
    startedAt: readMoment(beside["timestamp"]) ?? readMoment(beside["run_at"]),
    spec: isLong ? {} : spec,
    figures,
    notes: [note, ...(isLong ? [`left out, as they are long: ${nameList(Object.keys(spec))}`] : [])],
  };
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
