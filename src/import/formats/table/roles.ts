import { SourceFault } from "../../read/fault.ts";
import type { TableColumns, TableMapping } from "../../translate/table-mapping.ts";
import type { ColumnFacts } from "./column-types.ts";
import {
  firstFitting,
  fitsPattern,
  flagOf,
  GUESSES,
  INPUT_NAMES,
  isScoreName,
  METRIC_NAMES,
  plainName,
  VALUE_NAMES,
  type SingleRole,
} from "./guess-names.ts";

/** Which columns have which role, by their names. */
export interface TableRoles {
  readonly row: readonly string[];
  readonly model: string | null;
  readonly evaluation: string | null;
  readonly task: string | null;
  readonly input: readonly string[];
  readonly expected: readonly string[];
  readonly output: readonly string[];
  readonly trial: string | null;
  readonly scores: readonly string[];
  readonly error: string | null;
  readonly started: string | null;
  readonly latency: string | null;
  readonly tokens: string | null;
  readonly cost: string | null;
  /** Columns that the caller calls metadata, and columns without a role. */
  readonly metadata: readonly string[];
  /** Of a table with one record a score. */
  readonly metric: string | null;
  readonly value: string | null;
  readonly modelColumns: readonly string[];
}

/** Roles that names alone tell, and how the others are found once the types of the columns are known. */
export interface NamedRoles extends Omit<TableRoles, "scores" | "metadata"> {
  /** Columns that have no role by their names, and those that the caller calls metadata. */
  readonly open: readonly string[];
  readonly complete: (facts: readonly ColumnFacts[]) => TableRoles;
}

/** Finds the roles: those that are named, and guesses for the rest. `scoresAreNumbers`: scores are not known by their names. Throws {@link SourceFault}. */
export function findRoles(
  columns: readonly string[],
  mapping: TableMapping,
  scoresAreNumbers = false,
): NamedRoles {
  const finder = new RoleFinder(columns, mapping);
  const modelColumns = finder.named("modelColumns");
  const scores = finder.named("score");
  const singles = finder.singles();
  const long = scores.length + modelColumns.length > 0 ? null : finder.long();
  const input = finder.inputs();
  if (singles.row.length + input.length === 0)
    throw ambiguous(
      `no column tells what was asked: name one with --row-column or --input-column; there are ${columns.join(", ")}`,
    );
  const named = {
    ...singles,
    input,
    metric: long?.metric ?? null,
    value: long?.value ?? null,
    modelColumns,
  };
  const complete = (facts: readonly ColumnFacts[]) => {
    const found =
      long !== null || modelColumns.length > 0 ? [] : finder.scores(scores, facts, scoresAreNumbers);
    const roles = { ...named, scores: found, metadata: finder.rest() };
    checkScores(roles, columns);
    return roles;
  };
  return { ...named, open: finder.rest(), complete };
}

function checkScores(roles: TableRoles, columns: readonly string[]): void {
  const all = columns.join(", ");
  if (roles.metric === null && roles.modelColumns.length + roles.scores.length === 0)
    throw ambiguous(`no column is a score: name one with --score-column; there are ${all}`);
}

export function ambiguous(reason: string): SourceFault {
  return new SourceFault("ambiguous_mapping", null, reason);
}

/** Gives each column one role; what is named comes before what is guessed. */
class RoleFinder {
  readonly #columns: readonly string[];
  readonly #mapping: TableMapping;
  readonly #free: Set<string>;

  constructor(columns: readonly string[], mapping: TableMapping) {
    this.#columns = columns;
    this.#mapping = mapping;
    this.#free = new Set(columns);
    for (const role of Object.keys(mapping)) this.named(role as keyof TableMapping);
  }

  /** The columns that the caller names for a role; they are then taken. */
  named(role: keyof TableMapping): string[] {
    if (role.endsWith("Name")) return [];
    const names = listOf(this.#mapping[role]);
    const found = names.flatMap((name) => this.#find(role, name));
    for (const column of found) this.#free.delete(column);
    return [...new Set(found)];
  }

  #find(role: keyof TableMapping, name: string): string[] {
    const found = this.#columns.filter((column) => column === name.trim() || fitsPattern(column, name));
    if (found.length > 0) return found;
    throw ambiguous(
      `${flagOf(role)}: there is no column ${JSON.stringify(name)}; there are ${this.#columns.join(", ")}`,
    );
  }

  singles() {
    const model = this.#mapping.modelName === undefined ? this.one("model", GUESSES.model) : null;
    const row = this.named("row");
    const one = (role: SingleRole) => this.one(role, GUESSES[role]);
    return {
      // An empty list says that there is none.
      row: this.#mapping.row === undefined ? this.#guess("row", GUESSES.row) : row,
      model,
      evaluation: this.#mapping.evaluationName === undefined ? one("evaluation") : null,
      task: this.#mapping.taskName === undefined ? one("task") : null,
      expected: this.#several("expected", GUESSES.expected),
      output: this.#several("output", GUESSES.output),
      trial: one("trial"),
      error: one("error"),
      started: one("started"),
      latency: one("latency"),
      tokens: one("tokens"),
      cost: one("cost"),
    };
  }

  one(role: keyof TableMapping, names: readonly string[]): string | null {
    return this.#several(role, names)[0] ?? null;
  }

  #several(role: keyof TableMapping, names: readonly string[]): string[] {
    const named = this.named(role);
    return named.length > 0 ? named : this.#guess(role, names);
  }

  #guess(role: keyof TableMapping, names: readonly string[]): string[] {
    const [first, second] = firstFitting([...this.#free], names);
    if (first === undefined) return [];
    if (second !== undefined && plainName(first) === plainName(second))
      throw ambiguous(`${first} and ${second} may both be the ${role}: name one with ${flagOf(role)}`);
    this.#free.delete(first);
    return [first];
  }

  /** The columns of a table with one record a score: a metric and a value, and no other score. */
  long(): { readonly metric: string; readonly value: string } | null {
    const before = new Set(this.#free);
    const metric = this.one("metric", METRIC_NAMES);
    const value = metric === null ? null : this.one("value", VALUE_NAMES);
    const isNamed = this.#mapping.metric !== undefined && this.#mapping.value !== undefined;
    const others = isNamed ? [] : [...this.#free].filter(isScoreName);
    if (metric !== null && value !== null && others.length === 0) return { metric, value };
    for (const column of before) this.#free.add(column);
    return null;
  }

  inputs(): string[] {
    const named = this.named("input");
    if (named.length > 0) return named;
    const found = this.#guess("input", INPUT_NAMES);
    const others = [...this.#free].filter((column) => plainName(column).startsWith("input_"));
    for (const column of others) this.#free.delete(column);
    return [...found, ...others];
  }

  /** Scores by their names; without any, every other column of numbers or booleans. */
  scores(named: readonly string[], facts: readonly ColumnFacts[], areNumbers: boolean): string[] {
    if (named.length > 0) return [...named];
    const isNumeric = (column: string) => {
      const type = facts[this.#columns.indexOf(column)]?.type;
      return type === "number" || type === "boolean";
    };
    const free = [...this.#free];
    const isByName = (column: string) => isScoreName(column) && (isNumeric(column) || endsAsScore(column));
    const byName = areNumbers ? [] : free.filter(isByName);
    const found = byName.length > 0 ? byName : free.filter(isNumeric);
    for (const column of found) this.#free.delete(column);
    return found;
  }

  rest(): string[] {
    return [...this.named("metadata"), ...this.#free];
  }
}

/** A text is guessed to be a score only where its name says nothing else: `judge_reason` is none. */
function endsAsScore(column: string): boolean {
  return isScoreName(plainName(column).split("_").at(-1) ?? "");
}

function listOf(columns: TableColumns | undefined): readonly string[] {
  if (columns === undefined) return [];
  return typeof columns === "string" ? [columns] : columns;
}
