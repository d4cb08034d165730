import { isJsonObject, type Json } from "../../../model/json.ts";
import type { TableMapping } from "../../translate/table-mapping.ts";
import { TRUTH_WORDS } from "./cell-words.ts";
import { firstFitting, fitsOne, fitsPattern, isNoScore, isScoreName, plainName } from "./guess-names.ts";
import { listScores, memberIn, splitPath } from "./member-values.ts";
import { COLUMN_ROLES, namesOf, type ColumnRole } from "./roles.ts";

/** A column that is a member of what another column holds. */
export interface Member {
  /** What the column is called, and its whole path. */
  readonly name: string;
  readonly path: string;
  /** The column that holds it, and the name of what is taken out of that; null where all stays. */
  readonly from: string;
  readonly used: string | null;
  readonly get: (cell: Json) => Json | undefined;
  /** The name of a score with dimensions, and that of the dimension. */
  readonly dimension?: readonly [score: string, member: string];
  readonly isScore: boolean;
}

type Found = Omit<Member, "name" | "isScore">;

export const CONTAINERS: ReadonlySet<string> = new Set(
  "scores score metrics evaluation evaluations feedback feedback_scores assessments assertions grades ratings labels".split(
    " ",
  ),
);
const JUDGED = "score value rating grade verdict passed".split(" ");
/** Objects of settings and of usage: what they hold is never a score. */
const NO_SCORES_IN =
  /(^|_)(config|configuration|settings|options|params|parameters|args|usage|metadata|meta|info|env)$/;
export const EXPECTATION = /^(expected_|expectation)/;
/** Objects whose ids are those of a run, and of what it did. */
const OF_RUNS = /(^|_)(trace|run|span|session|thread|user|experiment|evaluation)$/;
/** Columns that a role takes as a whole: nothing is taken out of them. */
export const WHOLE = namesOf("names", "row", "input", "output", "expected", "model", "task", "evaluation");
export const MOST_MEMBERS = 500;

/** What is seen in the records of a table: the objects of each column, a few of each shape. */
export class Seen {
  readonly objects = new Map<string, Map<string, Json[]>>();
  /** Lists of names and values, by the names that lead to them. */
  readonly lists = new Map<
    string,
    { readonly way: readonly string[]; readonly names: Map<string, boolean> }
  >();

  #addList(way: readonly string[], list: readonly Json[]): void {
    const key = JSON.stringify(way);
    const { names } = this.lists.get(key) ?? { names: new Map<string, boolean>() };
    for (const { name, isExpected } of listScores(plainName(way.at(-1) ?? ""), list, CONTAINERS))
      if (names.size < MOST_MEMBERS) names.set(name, isExpected);
    if (names.size > 0) this.lists.set(key, { way, names });
  }

  add(column: string, value: Json): void {
    if (Array.isArray(value)) this.#addList([column], value as readonly Json[]);
    else if (isJsonObject(value)) {
      const plain = plainName(column);
      const isRead = CONTAINERS.has(plain) || !(fitsOne(plain, WHOLE) || NO_SCORES_IN.test(plain));
      const members = this.objects.get(column) ?? new Map<string, Json[]>();
      this.objects.set(column, members);
      for (const [name, member] of Object.entries(value)) {
        if (member === null) continue;
        if (isRead && Array.isArray(member) && CONTAINERS.has(plainName(name)))
          this.#addList([column, name], member as readonly Json[]);
        const values = members.get(name) ?? [];
        if (members.size < MOST_MEMBERS) members.set(name, values);
        // One of each kind says what a member is.
        if (!values.some((one) => kindOf(one) === kindOf(member))) values.push(member);
      }
    }
  }
}

function kindOf(value: Json): string {
  if (isJsonObject(value))
    return Object.entries(value)
      .map(([name, one]) => `${name}:${typeof one}`)
      .join();
  if (typeof value !== "string") return typeof value;
  return TRUTH_WORDS.has(value.trim().toLowerCase()) ? "word" : "text";
}

const isFigure = (value: Json) => ["number", "bigint", "boolean", "word"].includes(kindOf(value));
const areFigures = (values: readonly Json[]) => values.length > 0 && values.every(isFigure);

/** Finds which members are columns. */
export class MemberFinder {
  readonly members: Member[] = [];
  readonly sure = new Set<string>();
  readonly texts = new Set<string>();
  readonly given: { [role in keyof TableMapping]: TableMapping[role] };
  readonly #columns: readonly string[];
  readonly #names: Set<string>;
  /** Columns of scores with dimensions: their model is the judge. */
  readonly #judged = new Set<string>();

  constructor(columns: readonly string[], seen: Seen, given: TableMapping, isKnown: boolean) {
    this.#columns = columns;
    this.#names = new Set(columns);
    this.given = { ...given };
    if (isKnown) return;
    for (const { way, names } of seen.lists.values())
      for (const [name, isExpected] of names) this.#addNamed(way, name, isExpected);
    for (const [column, members] of seen.objects) this.#addScores(column, members);
    for (const role of COLUMN_ROLES) this.#addRole(role, seen.objects);
  }

  #add(member: Found, wanted: string, kind: "score" | "text" | "role"): string {
    const known = this.members.find(({ path }) => path === member.path);
    if (known !== undefined) return known.name;
    const name = this.#names.has(wanted) ? member.path : wanted;
    this.#names.add(name);
    this.members.push({ ...member, name, isScore: kind !== "role" });
    if (kind !== "role") this.sure.add(name);
    if (kind === "text") this.texts.add(name);
    return name;
  }

  #addNamed(way: readonly string[], name: string, isExpected: boolean): void {
    const [column = "", ...inside] = way;
    const plain = plainName(way.at(-1) ?? "");
    const get = (cell: Json) => {
      const list = memberIn(cell, inside).value;
      return Array.isArray(list)
        ? listScores(plain, list as readonly Json[], CONTAINERS).find((one) => one.name === name)?.value
        : undefined;
    };
    const member = { path: [...way, name].join("."), from: column, used: null, get };
    const added = this.#add(member, name, isExpected ? "role" : "text");
    if (isExpected) this.#give("expected", added);
  }

  #addScores(column: string, members: ReadonlyMap<string, readonly Json[]>): void {
    const plain = plainName(column);
    const isContainer = CONTAINERS.has(plain);
    if (EXPECTATION.test(plain) || this.#addJudge(column, [column], column, members)) return;
    for (const [name, values] of members) {
      const path = `${column}.${name}`;
      const member = memberOf(column, [name], path);
      if (isContainer && EXPECTATION.test(plainName(name)))
        this.#give("expected", this.#add(member, name, "role"));
      else if (values.some(isJsonObject)) {
        const inner = membersOf(values);
        const mayBeJudge = isContainer || (isScoreName(name) && !NO_SCORES_IN.test(plain));
        const isJudge =
          mayBeJudge && this.#addJudge(column, [column, name], isContainer ? name : path, inner);
        if (isJudge || !CONTAINERS.has(plainName(name))) continue;
        for (const [one, inside] of inner)
          if (areFigures(inside) && !isNoScore(one))
            this.#add(memberOf(column, [name, one], `${path}.${one}`), one, "score");
      } else if (isContainer && plain === "labels" && values.every((value) => typeof value === "string"))
        this.#add(member, name, "text");
      else if (areFigures(values) && !isNoScore(name))
        if (isContainer) this.#add(member, name, "score");
        else if (isScoreName(name) || (values.every(isTruth) && !NO_SCORES_IN.test(plain)))
          this.#add(member, path, "score");
    }
  }

  /** Whether an object is a score with dimensions: one of the words of a verdict beside texts. */
  #addJudge(
    column: string,
    way: readonly string[],
    key: string,
    members: ReadonlyMap<string, readonly Json[]>,
  ): boolean {
    const isInside = way.length > 1;
    const isContainer = CONTAINERS.has(plainName(column));
    const isLabel = isInside && plainName(column) === "labels";
    const verdict = JUDGED.find((name) => {
      const values = members.get(name) ?? [];
      return areFigures(values) || (isLabel && values.some((one) => typeof one === "string"));
    });
    const others = [...members].filter(([name]) => name !== verdict);
    const isScore =
      (isInside && isContainer) || others.some(([, values]) => values.some((one) => kindOf(one) === "text"));
    const isWhole = fitsOne(plainName(column), WHOLE) && !(isInside && isContainer);
    if (verdict === undefined || !isScore || isWhole) return false;
    if (!isInside && isContainer && !members.has("reason")) return false;
    this.#judged.add(column);
    for (const [name, values] of members) {
      if (name !== verdict && (isNoScore(name) || values.some((one) => typeof one === "object"))) continue;
      if (name === "name" && isInside) continue;
      const path = [...way, name].join(".");
      this.#add(
        { ...memberOf(column, [...way.slice(1), name], path), dimension: [key, name] },
        `${key}.${name}`,
        "text",
      );
    }
    return true;
  }

  /** Gives a role to a member, where no column and no flag has it. */
  #addRole(role: ColumnRole, objects: ReadonlyMap<string, ReadonlyMap<string, readonly Json[]>>): void {
    const weak = namesOf("weakNames", role);
    const names = namesOf("names", role).filter((name) => !weak.includes(name));
    const isTaken = firstFitting(this.#columns, names).length > 0 || this.given[role] !== undefined;
    const isWeak = firstFitting(this.#columns, weak).length > 0;
    const isAsked =
      role === "row" && !isWeak && firstFitting(this.#columns, namesOf("names", "input")).length > 0;
    const isNamed = this.given[`${role}Name` as keyof TableMapping] !== undefined;
    if (isTaken || isAsked || isNamed || role === "score" || role === "metric" || role === "value") return;
    const of = [...objects].filter(
      ([column]) => !this.#judged.has(column) && !(role === "row" && OF_RUNS.test(plainName(column))),
    );
    for (const name of isWeak ? names : namesOf("names", role))
      for (const [column, members] of of)
        for (const [one, values] of members) {
          const isPlain = values.every((value) => typeof value !== "object" || role === "input");
          if (!isPlain || !fitsPattern(plainName(one), name) || fitsOne(plainName(column), WHOLE)) continue;
          const path = `${column}.${one}`;
          return this.#give(role, this.#add(memberOf(column, [one], path), path, "role"));
        }
  }

  #give(role: ColumnRole, column: string): void {
    const before = this.given[role];
    if (before === undefined) Object.assign(this.given, { [role]: [column] });
    else if (role === "expected" && Array.isArray(before) && !before.includes(column))
      Object.assign(this.given, { [role]: [...before, column] });
  }

  /** Adds the members that fit a pattern of a flag. */
  addFitting(pattern: string, seen: Seen): void {
    for (const [column, members] of seen.objects)
      for (const [name, values] of members)
        for (const path of values.flatMap((value) => pathsBelow(value, `${column}.${name}`)))
          if (fitsPattern(path, pattern) && this.members.length < MOST_MEMBERS) this.addPath(path);
  }

  /** Adds a path that a flag names, at any depth. */
  addPath(path: string): void {
    const [column = "", ...names] = splitPath(path, this.#columns);
    const known = this.members.find((one) => one.path === [column, ...names].join("."));
    if (known !== undefined) return;
    this.#names.add(path);
    const whole = memberOf(column, names, path);
    this.members.push({ ...whole, name: path, isScore: false });
  }
}

const DEEPEST_PATTERN = 8;

/** The paths of what is no object inside a value. */
function pathsBelow(value: Json, path: string, levels = DEEPEST_PATTERN): string[] {
  if (!isJsonObject(value)) return [path];
  if (levels === 0) return [];
  return Object.entries(value).flatMap(([name, one]) =>
    pathsBelow(one, `${path}.${name.replaceAll(".", String.raw`\.`)}`, levels - 1),
  );
}

/** The values of each member of some objects. */
function membersOf(values: readonly Json[]): ReadonlyMap<string, readonly Json[]> {
  const members = new Map<string, Json[]>();
  for (const value of values.filter(isJsonObject))
    for (const [name, one] of Object.entries(value))
      if (one !== null) members.set(name, [...(members.get(name) ?? []), one]);
  return members;
}

const isTruth = (value: Json) => typeof value === "boolean" || kindOf(value) === "word";

function memberOf(column: string, names: readonly string[], path: string): Found {
  return { path, from: column, used: names[0] ?? "", get: (cell) => memberIn(cell, names).value };
}
