import { fieldText, splitFieldPath } from "../model/field-path.ts";
import type { Plan, RowsPlan } from "./plan.ts";
import type { CatalogPath } from "./query-catalog.ts";

/** The trials of the selected rows as a table, one record for each trial. */
export interface TrialTablePlan extends Plan {
  readonly rows: RowsPlan;
  readonly scoreColumns: readonly ScoreColumn[];
  /** Keys of the evaluations that may have several trials on a row. */
  readonly repeatedKeys: readonly number[];
  /** The part that a statement reads, where long texts do not fit into memory at once; null for all. */
  readonly part: TablePart | null;
  /** What an export has beside a table. */
  readonly exported?: ExportedColumns;
}

/** The records of some rows, by their places, the end excluded, and the keys of their long texts. */
export interface TablePart {
  readonly from: number;
  readonly to: number;
  readonly textKeys: readonly number[];
}

/** What makes an export tell all that the figures of its evaluations are made of. */
export interface ExportedColumns {
  /** The evaluations of the plan. Times are ISO 8601. */
  readonly evaluations: readonly {
    readonly key: number;
    readonly startedAt: string | null;
    readonly endedAt: string | null;
  }[];
  /** Whether some evaluation has a trace of another id, or ended in an exception. */
  readonly hasTraces: boolean;
  readonly hasFailed: boolean;
  readonly withDetails: boolean;
  /** The dimensions that are JSON null in some trial, with their names, see {@link placeName}. */
  readonly nulls: readonly { readonly pathKey: number; readonly name: string | readonly string[] }[];
}

/**
 * One score dimension. A column holds the values of its own type only, like the counts of the summary: in a dimension
 * with numbers, booleans and texts are null.
 */
export interface ScoreColumn {
  readonly name: string;
  readonly path: readonly string[];
  readonly pathKey: number;
  readonly type: "double" | "boolean" | "text";
}

/**
 * The name of a dimension, as fields of a request have it below `scores`; its path where that would be read otherwise.
 */
export function placeName(path: readonly string[]): string | readonly string[] {
  const name = fieldText(path);
  return isPath(splitFieldPath(name), path) ? name : path;
}

function isPath(read: readonly string[], path: readonly string[]): boolean {
  return read.length === path.length && read.every((name, i) => name === path[i]);
}

/** The paths of the columns whose names do not say them, by their names. */
export function unsaidPaths(columns: readonly ScoreColumn[]): Readonly<Record<string, readonly string[]>> {
  const isSaid = ({ name, path }: ScoreColumn) => isPath(splitFieldPath(name).slice(1), path);
  return Object.fromEntries(columns.filter((one) => !isSaid(one)).map(({ name, path }) => [name, path]));
}

/** The kinds of values that a dimension has in the requested evaluations. */
export interface DimensionKinds {
  readonly pathKey: number;
  readonly numbers: boolean;
  readonly booleans: boolean;
}

/** Columns for the dimensions that have values, in the order of their paths; numbers decide the type, then booleans. */
export function scoreColumns(
  paths: readonly Pick<CatalogPath, "key" | "path">[],
  kinds: readonly DimensionKinds[],
): ScoreColumn[] {
  const found = new Map(kinds.map((one) => [one.pathKey, one]));
  const present = paths.flatMap((path) => {
    const kind = found.get(path.key);
    return kind === undefined ? [] : [{ ...path, type: columnType(kind) }];
  });
  const ordered = present.toSorted((a, b) => comparePaths(a.path, b.path));
  const names = columnNames(ordered.map(({ path }) => path.map(writable)));
  return ordered.map(({ key, path, type }, i) => ({ name: names[i] ?? "", path, pathKey: key, type }));
}

function columnType({ numbers, booleans }: DimensionKinds): ScoreColumn["type"] {
  return numbers ? "double" : booleans ? "boolean" : "text";
}

/**
 * Names columns `scores.<key>.<path>`. Where names collide, ignoring case, dots inside a member's name are written
 * `\.`, as in the fields of a request; names that still collide are numbered from the second on.
 */
function columnNames(paths: readonly (readonly string[])[]): string[] {
  const plain = paths.map((path) => `scores.${path.join(".")}`);
  const uses = countNames(plain);
  const escaped = plain.map((name, i) =>
    uses.get(folded(name)) === 1
      ? name
      : `scores.${(paths[i] ?? []).map((member) => member.replaceAll(".", "\\.")).join(".")}`,
  );
  const taken = new Set<string>();
  return escaped.map((name) => {
    let unique = name;
    for (let n = 2; taken.has(folded(unique)); n++) unique = `${name} (${n})`;
    taken.add(folded(unique));
    return unique;
  });
}

/** Replaces U+0000, which SQL does not allow in a name. */
function writable(member: string): string {
  return member.replaceAll("\0", "\ufffd");
}

function countNames(names: readonly string[]): Map<string, number> {
  const uses = new Map<string, number>();
  for (const name of names) uses.set(folded(name), (uses.get(folded(name)) ?? 0) + 1);
  return uses;
}

/** Ignores case, because SQL takes column names that differ only in case for the same name. */
function folded(name: string): string {
  return name.toLowerCase();
}

/** Orders paths member by member, by code point. */
function comparePaths(a: readonly string[], b: readonly string[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const order = Buffer.compare(Buffer.from(a[i] ?? ""), Buffer.from(b[i] ?? ""));
    if (order !== 0) return order;
  }
  return a.length - b.length;
}
