import { nameList, shellWord } from "../../../model/messages.ts";
import { listOf, type TableMapping } from "../../translate/table-mapping.ts";
import { holdsStates } from "./cell-words.ts";
import { QUESTIONS } from "../../translate/place-rows.ts";
import { EMPTY_COLUMN, type ColumnFacts } from "./column-types.ts";
import {
  endsAsScore,
  firstFitting,
  fitsOne,
  fitsPattern,
  isNoScore,
  isRunName,
  isScoreName,
  isTruthName,
  plainName,
} from "./guess-names.ts";
import { PLACE } from "./readers/table-reader.ts";
import { ambiguous, matchOf, noColumn, trueValues, type Match } from "./given-texts.ts";
import { COLUMN_ROLES, namesOf, ROLES, type ColumnRole } from "./roles.ts";

/** Which columns have which role, by their names; `metadata` also has those without one. */
export interface TableRoles extends Readonly<Record<ColumnRole, readonly string[]>> {
  /**
   * The column of the question, by which an id that was guessed may be several rows; null where the row is named, or
   * known by its input.
   */
  readonly question: string | null;
  /** Two columns whose equality is a score. */
  readonly match: Match | null;
}

/** Roles that names alone tell, and how the others are found once the types of the columns are known. */
export interface NamedRoles extends Omit<TableRoles, "score" | "metadata"> {
  /** Columns that have no role by their names, and those that the caller calls metadata. */
  readonly open: readonly string[];
  readonly complete: (facts: readonly ColumnFacts[], answers: ReadonlySet<string>) => TableRoles;
}

/** What else is known of a table than the names of its columns. */
interface Evidence {
  /** Whether every column of numbers is a score, as a tool's tables have it. */
  readonly scoresAreNumbers?: boolean;
  /** Columns that are scores whatever their names; of those in `texts` also texts. */
  readonly sure?: ReadonlySet<string>;
  readonly texts?: ReadonlySet<string>;
  /** Columns of objects whose members are columns. */
  readonly opened?: ReadonlySet<string>;
  /** A column of which each record has a value of its own. */
  readonly uniqueRow?: string | null;
  /** Columns that name nothing: they have lists, or objects without a name. */
  readonly unnamed?: ReadonlySet<string>;
  /** Columns that are no evaluation, as each record has a value of its own. */
  readonly withheld?: ReadonlySet<string>;
}

/** Finds the roles: those that are named, and guesses for the rest. Throws {@link SourceFault}. */
export function findRoles(
  columns: readonly string[],
  mapping: TableMapping,
  evidence: Evidence = {},
): NamedRoles {
  const { scoresAreNumbers = false, uniqueRow = null, unnamed = new Set(), withheld = new Set() } = evidence;
  const { sure = new Set(), texts = new Set(), opened = new Set() } = evidence;
  const match = matchOf(mapping);
  const truths = trueValues(mapping).map(([score]) => score);
  const finder = new RoleFinder(columns, { ...match, ...mapping }, unnamed, withheld);
  const { score, metadata: _, ...found } = finder.find(uniqueRow);
  const unknown = found.metric.length > 0 ? undefined : truths.find((truth) => !columns.includes(truth));
  if (unknown !== undefined) throw noColumn(ROLES.trueValue.flag, unknown, columns);
  if (found.row.length + found.input.length === 0)
    throw ambiguous(
      `no column tells what was asked: name one with --row-column or --input-column, or --row-column '#' for the place of each record; there are ${nameList(columns)}`,
    );
  const isGuessed = mapping.row === undefined && found.row.length > 0;
  const named = { ...found, match, question: isGuessed ? (found.input.find(isQuestion) ?? null) : null };
  const complete: NamedRoles["complete"] = (facts, answers) => {
    const isWide = found.metric.length + found.modelColumns.length === 0;
    const gold = finder.gold(facts, answers);
    const expected = found.expected.length > 0 ? found.expected : gold.slice(0, 1);
    const scores = isWide
      ? finder.scores(score, facts, { areNumbers: scoresAreNumbers, gold, truths, sure, texts, opened })
      : [];
    const isLeft = (column: string) =>
      !opened.has(column) || facts[columns.indexOf(column)]?.type !== "empty";
    const metadata = finder.rest().filter((column) => !expected.includes(column) && isLeft(column));
    const roles = { ...named, expected, score: scores, metadata };
    checkScores(roles, columns, facts);
    return roles;
  };
  return { ...named, open: finder.rest(), complete };
}

function isQuestion(column: string): boolean {
  return QUESTIONS.includes(plainName(column));
}

function checkScores(roles: TableRoles, columns: readonly string[], facts: readonly ColumnFacts[]): void {
  const { metric, match, modelColumns, score } = roles;
  if (match !== null || metric.length + modelColumns.length + score.length > 0) return;
  const numbers = columns.filter((_, i) => facts[i]?.type === "number");
  const verb = numbers.length === 1 ? "is a number" : "are numbers";
  const there = numbers.length === 0 ? `there are ${nameList(columns)}` : `${nameList(numbers)} ${verb}`;
  const [output, expected] = [roles.output[0], roles.expected[0]];
  const both =
    output === undefined || expected === undefined
      ? ""
      : `, or make one of two columns: --match ${shellWord(`${output}=${expected}`)}`;
  throw ambiguous(`no column is a score: name one with --score-column (${there})${both}`);
}

/** What decides which columns are scores, besides names and types: see `RoleFinder.scores`. */
interface ScoreEvidence {
  readonly areNumbers: boolean;
  readonly gold: readonly string[];
  readonly truths: readonly string[];
  readonly sure: ReadonlySet<string>;
  readonly texts: ReadonlySet<string>;
  readonly opened: ReadonlySet<string>;
}

/** Roles of which all columns are told by their kinds, and those that only the caller gives. */
const NOT_GUESSED: ReadonlySet<ColumnRole> = new Set([
  "score",
  "metadata",
  "metric",
  "value",
  "modelColumns",
]);

/**
 * Whether a column has a role beside the first that fits: further inputs, but for their counts; repeats are told apart
 * by several.
 */
function isAlso(role: ColumnRole, plain: string): boolean {
  if (role === "input") return plain.startsWith("input_") && !isNoScore(plain);
  return role === "trial" && fitsOne(plain, namesOf("names", "trial"));
}

/** Roles whose question a name answers. */
const ANSWERED = { model: "modelName", evaluation: "evaluationName", task: "taskName" } as const;

/** Gives each column one role; what is named comes before what is guessed. */
class RoleFinder {
  readonly #columns: readonly string[];
  readonly #mapping: TableMapping;
  readonly #free: Set<string>;
  readonly #unnamed: ReadonlySet<string>;
  readonly #withheld: ReadonlySet<string>;

  constructor(
    columns: readonly string[],
    mapping: TableMapping,
    unnamed: ReadonlySet<string>,
    withheld: ReadonlySet<string>,
  ) {
    this.#unnamed = unnamed;
    this.#withheld = withheld;
    this.#columns = columns;
    this.#mapping = mapping;
    this.#free = new Set(columns.filter((column) => column !== PLACE));
    for (const role of COLUMN_ROLES) this.named(role);
  }

  /** The columns that the caller names for a role; they are then taken. */
  named(role: ColumnRole): string[] {
    const found = listOf(this.#mapping[role]).flatMap((name) => this.#columnsOf(role, name));
    for (const column of found) this.#free.delete(column);
    return [...new Set(found)];
  }

  /** Whether the caller names a column itself, and no pattern that it fits. */
  #isNamed(role: ColumnRole, column: string): boolean {
    return listOf(this.#mapping[role]).includes(column);
  }

  #columnsOf(role: ColumnRole, name: string): string[] {
    const found = this.#columns.filter((column) => column === name.trim() || fitsPattern(column, name));
    if (found.length > 0) return found;
    throw noColumn(ROLES[role].flag, name, this.#columns);
  }

  /** The columns of each role: those that the caller names, else guesses. */
  find(uniqueRow: string | null): Readonly<Record<ColumnRole, readonly string[]>> {
    const found = new Map(COLUMN_ROLES.map((role) => [role, this.named(role)]));
    const of = (role: ColumnRole) => found.get(role) ?? [];
    for (const [role, named] of found)
      if (named.length === 0 && this.#isOpen(role)) found.set(role, this.#guess(role));
    if (this.#mapping.evaluationName !== undefined && this.#mapping.trial === undefined)
      found.set("trial", [...of("trial"), ...this.#runs()]);
    // An empty list says that there is none.
    if (of("row").length === 0 && this.#mapping.row === undefined && uniqueRow !== null)
      if (this.#free.delete(uniqueRow)) found.set("row", [uniqueRow]);
    const isLong = of("score").length + of("modelColumns").length === 0;
    const [metric, value] = (isLong ? this.#long() : null) ?? [[], []];
    found.set("metric", metric).set("value", value);
    return recordOf(COLUMN_ROLES, of);
  }

  #runs(): string[] {
    const runs = [...this.#free].filter((column) => isRunName(column) && !this.#withheld.has(column));
    for (const column of runs) this.#free.delete(column);
    return runs;
  }

  #isOpen(role: ColumnRole): boolean {
    if (NOT_GUESSED.has(role) || (role === "row" && this.#mapping.row !== undefined)) return false;
    return !(role in ANSWERED) || this.#mapping[ANSWERED[role as keyof typeof ANSWERED]] === undefined;
  }

  #guess(role: ColumnRole): string[] {
    const isName = role in ANSWERED;
    const free = [...this.#free].filter(
      (column) => !(isName && this.#unnamed.has(column)) && !this.#withheld.has(column),
    );
    const [first, second] = firstFitting(free, namesOf("names", role));
    if (first === undefined) return [];
    if (second !== undefined && plainName(first) === plainName(second))
      throw ambiguous(`${first} and ${second} may both be the ${role}: name one with ${ROLES[role].flag}`);
    const others = free.filter((column) => isAlso(role, plainName(column)));
    const all = [first, ...others.filter((column) => column !== first)];
    for (const column of all) this.#free.delete(column);
    return all;
  }

  /**
   * The columns of a table with one record a score: a metric and a value, and no other score; null where it has none.
   */
  #long(): readonly [metric: string[], value: string[]] | null {
    const before = new Set(this.#free);
    const of = (role: ColumnRole) => {
      const named = this.named(role);
      return named.length > 0 ? named : this.#guess(role);
    };
    const metric = of("metric");
    const value = metric.length === 0 ? [] : of("value");
    const isNamed = this.#mapping.metric !== undefined && this.#mapping.value !== undefined;
    const others = isNamed ? [] : [...this.#free].filter(isScoreName);
    if (value.length > 0 && others.length === 0) return [metric, value];
    for (const column of before) this.#free.add(column);
    return null;
  }

  /**
   * Columns named by what is right, such as `correct`, that hold right answers and no verdicts: options, or texts of
   * the output.
   */
  gold(facts: readonly ColumnFacts[], answers: ReadonlySet<string>): string[] {
    const isGold = (column: string) => {
      const { type, longest } = facts[this.#columns.indexOf(column)] ?? EMPTY_COLUMN;
      return type === "text" && isTruthName(column) && (longest === 1 || answers.has(column));
    };
    return [...this.#free].filter(isGold);
  }

  /**
   * Scores by their names, since they are booleans or have a text that is true (`truths`); where `areNumbers`, all
   * numbers. Lists, objects and right answers (`gold`) are none.
   */
  scores(
    named: readonly string[],
    facts: readonly ColumnFacts[],
    { areNumbers, gold, truths, sure, texts, opened }: ScoreEvidence,
  ): string[] {
    for (const column of truths) this.#free.delete(column);
    const factsOf = (column: string) => facts[this.#columns.indexOf(column)];
    const typeOf = (column: string) => factsOf(column)?.type ?? "empty";
    const dropped = named.find((column) => typeOf(column) === "object" && this.#isNamed("score", column));
    if (dropped !== undefined)
      throw ambiguous(`${ROLES.score.flag}: ${dropped} holds lists or objects, and no score in them`);
    if (named.length > 0)
      return [...new Set([...named.filter((column) => typeOf(column) !== "object"), ...truths])];
    const isScore = (column: string) => {
      const type = typeOf(column);
      if (sure.has(column))
        return type === "number" || type === "boolean" || (type === "text" && texts.has(column));
      if (opened.has(column)) return false;
      // `passed` is a truth value, and 7 of it a count.
      if (type === "number" && isTruthName(column) && factsOf(column)?.above1 != null) return false;
      if (type === "object" || isNoScore(column) || gold.includes(column)) return false;
      const { counts, labels } = factsOf(column) ?? EMPTY_COLUMN;
      if (holdsStates(plainName(column), labels)) return false;
      const hasWords = counts.boolean + counts.word + counts.verdict > 0;
      if ((type === "boolean" && hasWords) || (areNumbers && type === "number")) return true;
      return isScoreName(column) && (type !== "text" || endsAsScore(column));
    };
    const found = [...this.#free].filter(isScore);
    for (const column of found) this.#free.delete(column);
    return [...found, ...truths];
  }

  rest(): string[] {
    return [...this.named("metadata"), ...this.#free];
  }
}

function recordOf<Name extends string, T>(names: readonly Name[], of: (name: Name) => T) {
  return Object.fromEntries(names.map((name) => [name, of(name)])) as Readonly<Record<Name, T>>;
}
