import { nameList } from "../../../model/messages.ts";
import { SourceFault } from "../../read/fault.ts";
import type { TableColumns, TableMapping } from "../../translate/table-mapping.ts";
import { EMPTY_COLUMN, type ColumnFacts } from "./column-types.ts";
import {
  ANSWER,
  endsAsScore,
  firstFitting,
  fitsPattern,
  flagOf,
  GUESSES,
  INPUT_NAMES,
  isNoScore,
  isScoreName,
  isTruthName,
  METRIC_NAMES,
  plainName,
  VALUE_NAMES,
  type SingleRole,
} from "./guess-names.ts";

type ListRole = "row" | "input" | "expected" | "output" | "modelColumns";

/** Which columns have which role, by their names. */
export interface TableRoles
  extends
    Readonly<Record<Exclude<SingleRole, ListRole>, string | null>>,
    Readonly<Record<ListRole, readonly string[]>> {
  readonly scores: readonly string[];
  /** Columns that the caller calls metadata, and columns without a role. */
  readonly metadata: readonly string[];
  /** Of a table with one record a score. */
  readonly metric: string | null;
  readonly value: string | null;
  /** Two columns whose equality is a score. */
  readonly match: { readonly output: string; readonly expected: string } | null;
}

/** Roles that names alone tell, and how the others are found once the types of the columns are known. */
export interface NamedRoles extends Omit<TableRoles, "scores" | "metadata"> {
  /** Columns that have no role by their names, and those that the caller calls metadata. */
  readonly open: readonly string[];
  readonly complete: (facts: readonly ColumnFacts[], answers: ReadonlySet<string>) => TableRoles;
}

/** What else is known of a table than the names of its columns. */
interface Evidence {
  /** Whether every column of numbers is a score, as a tool's tables have it. */
  readonly scoresAreNumbers?: boolean;
  /** A column of which each record has a value of its own. */
  readonly uniqueRow?: string | null;
  /** Columns that name nothing: they have lists, or objects without a name. */
  readonly unnamed?: ReadonlySet<string>;
}

/** Finds the roles: those that are named, and guesses for the rest. Throws {@link SourceFault}. */
export function findRoles(
  columns: readonly string[],
  mapping: TableMapping,
  { scoresAreNumbers = false, uniqueRow = null, unnamed = new Set() }: Evidence = {},
): NamedRoles {
  const match = matchOf(mapping);
  const finder = new RoleFinder(columns, { ...match, ...mapping }, unnamed);
  const modelColumns = finder.named("modelColumns");
  const scores = finder.named("score");
  const singles = finder.singles(uniqueRow);
  const long = scores.length + modelColumns.length > 0 ? null : finder.long();
  const input = finder.inputs();
  if (singles.row.length + input.length === 0)
    throw ambiguous(
      `no column tells what was asked: name one with --row-column or --input-column; there are ${nameList(columns)}`,
    );
  const named = {
    ...singles,
    input,
    metric: long?.metric ?? null,
    value: long?.value ?? null,
    modelColumns,
    match,
  };
  const complete: NamedRoles["complete"] = (facts, answers) => {
    const isWide = long === null && modelColumns.length === 0;
    const gold = finder.gold(facts, answers);
    const expected = named.expected.length > 0 ? named.expected : gold.slice(0, 1);
    const found = isWide ? finder.scores(scores, facts, scoresAreNumbers, gold) : [];
    const metadata = finder.rest().filter((column) => !expected.includes(column));
    const roles = { ...named, expected, scores: found, metadata };
    checkScores(roles, columns, facts);
    return roles;
  };
  return { ...named, open: finder.rest(), complete };
}

/** The columns that are compared, from `OUTPUT=EXPECTED`. */
function matchOf({ match }: TableMapping): TableRoles["match"] {
  if (match === undefined) return null;
  const at = match.indexOf("=");
  const [output, expected] = [match.slice(0, at).trim(), match.slice(at + 1).trim()];
  if (at < 0 || output === "" || expected === "")
    throw ambiguous(`--match: ${JSON.stringify(match)} is not OUTPUT=EXPECTED, such as pred=answer`);
  return { output, expected };
}

function checkScores(roles: TableRoles, columns: readonly string[], facts: readonly ColumnFacts[]): void {
  if (roles.metric !== null || roles.match !== null || roles.modelColumns.length + roles.scores.length > 0)
    return;
  const numbers = columns.filter((_, i) => facts[i]?.type === "number");
  const nested = columns.find(
    (name, i) => facts[i]?.type === "object" && /^(scores?|metrics)$/.test(plainName(name)),
  );
  if (nested !== undefined)
    throw ambiguous(
      `no column is a score: ${nested} holds objects; each of their numbers needs a column of its own`,
    );
  const verb = numbers.length === 1 ? "is a number" : "are numbers";
  const there = numbers.length === 0 ? `there are ${nameList(columns)}` : `${nameList(numbers)} ${verb}`;
  const [output = "pred"] = roles.output;
  const [expected = "answer"] = roles.expected;
  throw ambiguous(
    `no column is a score: name one with --score-column (${there}), or make one of two columns: --match ${output}=${expected}`,
  );
}

export function ambiguous(reason: string): SourceFault {
  return new SourceFault("ambiguous_mapping", null, reason);
}

/** Members of a mapping that name no columns. */
const NO_COLUMNS: ReadonlySet<keyof TableMapping> = new Set(["match", "decimal", "records"]);

/** Gives each column one role; what is named comes before what is guessed. */
class RoleFinder {
  readonly #columns: readonly string[];
  readonly #mapping: TableMapping;
  readonly #free: Set<string>;
  readonly #unnamed: ReadonlySet<string>;

  constructor(columns: readonly string[], mapping: TableMapping, unnamed: ReadonlySet<string>) {
    this.#unnamed = unnamed;
    this.#columns = columns;
    this.#mapping = mapping;
    this.#free = new Set(columns);
    for (const role of Object.keys(mapping)) this.named(role as keyof TableMapping);
  }

  /** The columns that the caller names for a role; they are then taken. */
  named(role: keyof TableMapping): string[] {
    if (role.endsWith("Name") || NO_COLUMNS.has(role)) return [];
    const names = listOf(this.#mapping[role]);
    const found = names.flatMap((name) => this.#find(role, name));
    for (const column of found) this.#free.delete(column);
    return [...new Set(found)];
  }

  #find(role: keyof TableMapping, name: string): string[] {
    const found = this.#columns.filter((column) => column === name.trim() || fitsPattern(column, name));
    if (found.length > 0) return found;
    throw ambiguous(
      `${flagOf(role)}: there is no column ${JSON.stringify(name)}; there are ${nameList(this.#columns)}`,
    );
  }

  singles(uniqueRow: string | null) {
    const model = this.#mapping.modelName === undefined ? this.one("model", GUESSES.model) : null;
    const row = this.named("row");
    const one = (role: SingleRole) => this.one(role, GUESSES[role]);
    const output = this.#several("output", [...GUESSES.output, ANSWER]);
    return {
      // An empty list says that there is none.
      row: this.#mapping.row === undefined ? this.#rows(uniqueRow) : row,
      model,
      evaluation: this.#mapping.evaluationName === undefined ? one("evaluation") : null,
      task: this.#mapping.taskName === undefined ? one("task") : null,
      output,
      expected: this.#several("expected", [...GUESSES.expected, ...(output.length > 0 ? [ANSWER] : [])]),
      trial: one("trial"),
      error: one("error"),
      started: one("started"),
      latency: one("latency"),
      tokens: one("tokens"),
      cost: one("cost"),
    };
  }

  #rows(uniqueRow: string | null): string[] {
    const found = this.#guess("row", GUESSES.row);
    if (found.length > 0 || uniqueRow === null || !this.#free.delete(uniqueRow)) return found;
    return [uniqueRow];
  }

  one(role: keyof TableMapping, names: readonly string[]): string | null {
    return this.#several(role, names)[0] ?? null;
  }

  #several(role: keyof TableMapping, names: readonly string[]): string[] {
    const named = this.named(role);
    return named.length > 0 ? named : this.#guess(role, names);
  }

  #guess(role: keyof TableMapping, names: readonly string[]): string[] {
    const isName = role === "model" || role === "evaluation" || role === "task";
    const free = [...this.#free].filter((column) => !isName || !this.#unnamed.has(column));
    const [first, second] = firstFitting(free, names);
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

  /** Columns named by what is right, such as `correct`, that hold right answers and no verdicts: options, or texts of the output. */
  gold(facts: readonly ColumnFacts[], answers: ReadonlySet<string>): string[] {
    const isGold = (column: string) => {
      const { type, longest } = facts[this.#columns.indexOf(column)] ?? EMPTY_COLUMN;
      return type === "text" && isTruthName(column) && (longest === 1 || answers.has(column));
    };
    return [...this.#free].filter(isGold);
  }

  /** Scores by their names or since they are booleans; where `areNumbers`, all numbers. Lists and objects are none. */
  scores(
    named: readonly string[],
    facts: readonly ColumnFacts[],
    areNumbers: boolean,
    gold: readonly string[],
  ): string[] {
    const factsOf = (column: string) => facts[this.#columns.indexOf(column)];
    const typeOf = (column: string) => factsOf(column)?.type ?? "empty";
    if (named.length > 0) return named.filter((column) => typeOf(column) !== "object");
    const isScore = (column: string) => {
      const type = typeOf(column);
      // `passed` is a truth value, and 7 of it a count.
      if (type === "number" && isTruthName(column) && factsOf(column)?.above1 != null) return false;
      if (type === "object" || isNoScore(column) || gold.includes(column)) return false;
      const hasWords = (factsOf(column)?.counts.boolean ?? 0) + (factsOf(column)?.counts.word ?? 0) > 0;
      if ((type === "boolean" && hasWords) || (areNumbers && type === "number")) return true;
      return isScoreName(column) && (type !== "text" || endsAsScore(column));
    };
    const found = [...this.#free].filter(isScore);
    for (const column of found) this.#free.delete(column);
    return found;
  }

  rest(): string[] {
    return [...this.named("metadata"), ...this.#free];
  }
}

function listOf(columns: TableColumns | undefined): readonly string[] {
  if (columns === undefined) return [];
  return typeof columns === "string" ? [columns] : columns;
}
