import type { TableMapping } from "../../../translate/table-mapping.ts";
import type { TableReader } from "../readers/table-reader.ts";
import {
  braintrust,
  langfuse,
  langsmith,
  mlflow,
  phoenix,
  ragas,
  type TableProfile,
} from "./tool-profiles.ts";
import { azure, evalite, evalPlus, evalsApi, mtBench, sweBench, vitest } from "./report-profiles.ts";

/** The first that fits a table is taken. */
const PROFILES: readonly TableProfile[] = [
  phoenix,
  evalPlus,
  sweBench,
  evalite,
  vitest,
  evalsApi,
  azure,
  mtBench,
  langsmith,
  braintrust,
  ragas,
  mlflow,
  langfuse,
];

/** A table as it is read by the rest, and what is known of it beforehand. */
export interface ProfiledTable {
  readonly reader: TableReader;
  /** What the profile and the caller say of the roles. */
  readonly given: TableMapping;
  /** Null for a table of no known tool. */
  readonly profile: Pick<TableProfile, "name" | "scoresAreNumbers"> | null;
}

/** Finds the tool that wrote a table, by its columns. */
export async function applyProfile(reader: TableReader, given: TableMapping): Promise<ProfiledTable> {
  await reader.findColumns?.();
  const profile = PROFILES.find(({ fits }) => fits(reader));
  if (profile === undefined) return { reader, given, profile: null };
  const opened = (await profile.open?.(reader)) ?? reader;
  const names = newNames(opened.columns, profile);
  const renamed = (mapping: TableMapping): TableMapping =>
    Object.fromEntries(
      Object.entries(mapping).map(([role, columns]: [string, TableMapping["row"]]) => [
        role,
        typeof columns === "object" ? columns.map((name) => names.get(name) ?? name) : nameOf(columns),
      ]),
    );
  const nameOf = (column: string | undefined) => names.get(column ?? "") ?? column;
  return {
    reader: withNames(opened, names),
    given: { ...withoutTaken(renamed(profile.roles(opened.columns)), given), ...renamed(given) },
    profile,
  };
}

/** Roles of the profile whose question the caller answers by a name, such as that of the evaluation, are left out. */
function withoutTaken(roles: TableMapping, given: TableMapping): TableMapping {
  const { evaluation, score, ...others } = roles;
  return {
    ...others,
    ...(evaluation === undefined || given.evaluationName !== undefined ? {} : { evaluation }),
    ...(score === undefined || given.modelColumns !== undefined ? {} : { score }),
  };
}

/** The names of the columns that are kept. A name that two columns would have is given to none. */
function newNames(columns: readonly string[], { rename }: TableProfile): ReadonlyMap<string, string> {
  const wanted = columns.flatMap((column) => {
    const name = rename === undefined ? column : rename(column);
    return name === null ? [] : [[column, name] as const];
  });
  const counts = new Map<string, number>();
  for (const [, name] of wanted) counts.set(name, (counts.get(name) ?? 0) + 1);
  return new Map(wanted.map(([column, name]) => [column, counts.get(name) === 1 ? name : column]));
}

function withNames(reader: TableReader, names: ReadonlyMap<string, string>): TableReader {
  const kept = reader.columns.flatMap((column, i) => (names.has(column) ? [i] : []));
  return {
    ...reader,
    columns: [...names.values()],
    findColumns: () => Promise.resolve(),
    async *records() {
      for await (const record of reader.records())
        yield record.fault === undefined ? { ...record, cells: kept.map((at) => record.cells[at]) } : record;
    },
  };
}
