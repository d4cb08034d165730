import { isJsonObject, type Json, type JsonObject } from "../../../model/json.ts";
import { nameList } from "../../../model/messages.ts";
import { omit } from "../../read/members.ts";
import type { TableColumns, TableMapping } from "../../translate/table-mapping.ts";
import { type Member, MemberFinder, MOST_MEMBERS, Seen, WHOLE } from "./find-members.ts";
import { ambiguous } from "./given-texts.ts";
import { fitsOne, fitsPattern, plainName } from "./guess-names.ts";
import { memberIn, parsedCell, splitPath } from "./member-values.ts";
import type { TableReader } from "./readers/table-reader.ts";
import { COLUMN_ROLES, ROLES } from "./roles.ts";

const FIRST_RECORDS = 100;

/** A table with members of objects as columns. */
export interface MemberTable {
  readonly reader: TableReader;
  readonly given: TableMapping;
  /** Columns that are scores whatever their names; of those in `texts` also texts. */
  readonly sure: ReadonlySet<string>;
  readonly texts: ReadonlySet<string>;
  readonly dimensions: ReadonlyMap<string, readonly [score: string, member: string]>;
  /** Columns of objects whose members are columns. */
  readonly opened: ReadonlySet<string>;
}

/** Adds members of objects to the columns of a table: those that flags name, scores, and roles that no column has. */
export async function withMembers(
  reader: TableReader,
  given: TableMapping,
  isKnown: boolean,
): Promise<MemberTable> {
  const none = new Set<string>();
  const plain = { reader, given, sure: none, texts: none, opened: none, dimensions: new Map() };
  const paths = pathsIn(reader, given);
  if (paths.length === 0 && (isKnown || !(await mayHoldObjects(reader)))) return plain;
  const seen = new Seen();
  const found = new Map(paths.map((path) => [path, { known: 0, names: new Set<string>(), at: "" }]));
  for await (const { cells, fault } of reader.records()) {
    if (fault !== undefined) continue;
    for (const [i, cell] of cells.entries()) {
      const value = parsedCell(cell);
      if (value !== null) seen.add(reader.columns[i] ?? "", value);
    }
    for (const [path, told] of found) tellPath(reader, cells, path, told);
  }
  for (const [path, { at, names, known }] of found)
    if (known >= 0) throw unknownPath(given, path, at, [...names]);
  const finder = new MemberFinder(reader.columns, seen, given, isKnown);
  for (const name of COLUMN_ROLES.flatMap((role) => listOf(given[role])))
    if (name.includes("*") && !reader.columns.some((column) => fitsPattern(column, name)))
      finder.addFitting(name, seen);
  return memberTable(reader, finder, paths);
}

/** How far a path leads: `known` is -1 where it leads to its end. */
interface Told {
  known: number;
  names: Set<string>;
  at: string;
}

function tellPath(reader: TableReader, cells: readonly (Json | undefined)[], path: string, told: Told): void {
  const [column = "", ...names] = splitPath(path, reader.columns);
  if (told.known < 0) return;
  const { value, known, inside } = memberIn(parsedCell(cells[reader.columns.indexOf(column)]), names);
  if (value !== undefined) {
    told.known = -1;
    return;
  }
  const at = [column, ...names.slice(0, known)].join(".");
  if (at.length > told.at.length) Object.assign(told, { known, at, names: new Set<string>() });
  if (at === told.at) for (const name of inside.slice(0, MOST_MEMBERS)) told.names.add(name);
}

function unknownPath(given: TableMapping, path: string, at: string, names: readonly string[]) {
  const role = COLUMN_ROLES.find((one) => listOf(given[one]).includes(path)) ?? "score";
  const there = names.length === 0 ? `${at} has no members` : `${at} has ${nameList(names)}`;
  return ambiguous(`${ROLES[role].flag}: no record has ${path}; ${there}`);
}

/** Paths that flags name, of which no column has the name; patterns are found later. */
function pathsIn(reader: TableReader, given: TableMapping): string[] {
  return COLUMN_ROLES.flatMap((role) => listOf(given[role])).filter((name) => {
    if (name.includes("*") || reader.columns.some((column) => column === name || fitsPattern(column, name)))
      return false;
    const [column = "", ...names] = splitPath(name, reader.columns);
    return names.length > 0 && reader.columns.includes(column);
  });
}

async function mayHoldObjects(reader: TableReader): Promise<boolean> {
  if (!reader.isText) return reader.nested === undefined || reader.nested.size > 0;
  let records = 0;
  for await (const { cells } of reader.records()) {
    if (cells.some((cell) => parsedCell(cell) !== null)) return true;
    if (++records === FIRST_RECORDS) break;
  }
  return false;
}

/** The table with the members as columns, and the mapping by their names. */
function memberTable(reader: TableReader, finder: MemberFinder, paths: readonly string[]): MemberTable {
  for (const path of paths) finder.addPath(path);
  const isNamed = (member: Member) =>
    listOf(finder.given.score).some((name) =>
      [member.from, member.path, member.name].some((one) => one === name || fitsPattern(one, name)),
    );
  const isOpen = finder.given.score === undefined;
  const members = finder.members.filter((one) => !one.isScore || isOpen || isNamed(one));
  const renamed = (name: string): readonly string[] => {
    if (reader.columns.includes(name)) {
      const inside = members.filter(({ from }) => from === name);
      return inside.length > 0 ? [name, ...inside.map((one) => one.name)] : [name];
    }
    const plain = splitPath(name, reader.columns).join(".");
    const found = members.filter(({ path, name: own }) =>
      [path, own].some((one) => one === plain || one === name || fitsPattern(one, name)),
    );
    return found.length > 0 ? found.map((one) => one.name) : [name];
  };
  const roles = COLUMN_ROLES.flatMap((role) => {
    const named = finder.given[role];
    if (named === undefined) return [];
    const all = listOf(named).flatMap((name) =>
      role === "score" ? renamed(name) : renamed(name).slice(0, name.includes("*") ? undefined : 1),
    );
    const kept = role === "score" ? withoutObjects(all, members) : all;
    return [[role, kept] as const];
  });
  return {
    reader: expanded(reader, members),
    given: { ...finder.given, ...Object.fromEntries(roles) },
    sure: finder.sure,
    texts: finder.texts,
    opened: new Set(members.map(({ from }) => from)),
    dimensions: new Map(
      members.flatMap(({ name, dimension }) => (dimension === undefined ? [] : [[name, dimension]])),
    ),
  };
}

/** A column of objects whose members are scores stands for these. */
function withoutObjects(names: readonly string[], members: readonly Member[]): string[] {
  return names.filter((name) => !members.some(({ from, name: own }) => from === name && names.includes(own)));
}

function expanded(reader: TableReader, members: readonly Member[]): TableReader {
  if (members.length === 0) return reader;
  const columns = [...reader.columns, ...members.map(({ name }) => name)];
  const at = members.map(({ from }) => reader.columns.indexOf(from));
  const sources = [...new Set(at)];
  const used = sources.map((i) =>
    members.flatMap((one, k) => (at[k] === i && one.used !== null ? [one.used] : [])),
  );
  const isWhole = sources.map((i) => fitsOne(plainName(reader.columns[i] ?? ""), WHOLE));
  return {
    ...reader,
    columns,
    findColumns: () => Promise.resolve(),
    async *records() {
      for await (const record of reader.records()) {
        if (record.fault !== undefined) {
          yield record;
          continue;
        }
        const cells = Array.from(reader.columns, (_, i) => record.cells[i]);
        const parsed = new Map(sources.map((i) => [i, parsedCell(cells[i])]));
        for (const [k, member] of members.entries()) {
          const value = parsed.get(at[k] ?? -1) ?? null;
          cells.push(value === null ? undefined : member.get(value));
        }
        for (const [k, i] of sources.entries())
          if (isWhole[k] !== true) cells[i] = restOf(cells[i], parsed.get(i) ?? null, used[k] ?? []);
        yield { ...record, cells };
      }
    },
  };
}

/** What is left of a cell whose members are columns; undefined where that is nothing. */
function restOf(cell: Json | undefined, value: Json, used: readonly string[]): Json | undefined {
  if (!isJsonObject(value)) return cell;
  const rest: JsonObject = omit(value, used);
  return Object.keys(rest).length === 0 ? undefined : rest;
}

function listOf(columns: TableColumns | undefined): readonly string[] {
  return columns === undefined ? [] : [columns].flat();
}
