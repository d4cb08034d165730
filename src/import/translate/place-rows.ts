import { canonicalJson, rowDigest } from "../../model/digest.ts";
import { isJsonObject, parseJson, type Json, type JsonObject } from "../../model/json.ts";
import { objectAt } from "../read/members.ts";
import { recordText } from "./clean.ts";
import type { LogTrial } from "./log-parts.ts";
import { RowNotes } from "./row-notes.ts";
import type { TrialRow } from "./records.ts";

/** What is stored of the dataset rows of a project. */
export interface StoredRows {
  readonly hasRows: () => Promise<boolean>;
  /** The values, as JSON, of those of these rows that have one, by their digests. */
  readonly rowValues: (digests: readonly string[], project?: string) => Promise<ReadonlyMap<string, string>>;
  /** Those of these rows that trials of another evaluation than this are of. */
  readonly sharedRows: (digests: readonly string[], root: string) => Promise<ReadonlySet<string>>;
}

/** The row of a trial, as the log has it. */
interface AskedRow {
  readonly trial: LogTrial;
  readonly row: TrialRow;
  /** The id of the evaluation whose trials are replaced; null where nothing is. */
  readonly replaced: string | null;
}

/** The row of a trial, as it is stored, and what of it stays with the trial. */
export interface PlacedRow {
  readonly digest: string;
  /** The value of the row; `text` is what is stored of it. */
  readonly val: JsonObject;
  readonly text: string | null;
  readonly details: JsonObject;
  /** Whether the row is known by its question, too, since its id is that of another. */
  readonly isSplit: boolean;
}

/** What a source said of a row first: hashes of the members, and what was asked. */
interface OwnRow {
  readonly members: { readonly [name: string]: string };
  questions: readonly string[];
}

/** What is known of the rows of some trials. */
interface Known {
  /** Values as JSON, by digest. */
  readonly values: Map<string, string>;
  readonly parsed: Map<string, JsonObject>;
  /** Rows that take new values. */
  readonly free: Set<string>;
}

/**
 * Finds the rows of trials among those that are stored. A stored row stays as it is: what a trial says otherwise, or
 * besides, stays with the trial. Two questions under one id are two rows.
 */
export class RowPlaces {
  readonly notes = new RowNotes();
  readonly #stored: StoredRows;
  readonly #own = new Map<string, OwnRow>();
  #hasRows: boolean | null = null;

  constructor(stored: StoredRows) {
    this.#stored = stored;
  }

  /**
   * Answers a function that gives the row of each of these trials, in their order; `isMet`: whether the row was there
   * before.
   */
  async find(
    asked: readonly AskedRow[],
  ): Promise<(index: number, isMet: (digest: string) => boolean) => PlacedRow> {
    const known: Known = { values: new Map(), parsed: new Map(), free: new Set() };
    await this.#read(
      known,
      asked.map(({ row }) => row),
      asked,
    );
    const rows = asked.map((one) => this.#splitRow(one, known));
    await this.#read(
      known,
      rows.filter((row, i) => row !== asked[i]?.row),
      asked,
    );
    return (index, isMet) => {
      const [one, row] = [asked[index], rows[index]];
      if (one === undefined || row === undefined) throw new RangeError("a row that was not asked for");
      const isSplit = row !== one.row;
      return { ...this.#place(one.trial, row, known, !isMet(row.digest)), isSplit };
    };
  }

  async #read({ values, free }: Known, rows: readonly TrialRow[], all: readonly AskedRow[]): Promise<void> {
    this.#hasRows ??= await this.#stored.hasRows();
    if (!this.#hasRows || rows.length === 0) return;
    const digests = [...new Set(rows.map(({ digest }) => digest))];
    for (const [digest, value] of await this.#stored.rowValues(digests)) values.set(digest, value);
    for (const root of new Set(all.map(({ replaced }) => replaced))) {
      if (root === null) continue;
      const own = digests.filter((digest) => values.has(digest));
      const shared = await this.#stored.sharedRows(own, root);
      for (const digest of own) if (!shared.has(digest)) free.add(digest);
    }
  }

  /** The row of a trial; one of its own where its id is that of another question. */
  #splitRow({ trial, row }: AskedRow, known: Known): TrialRow {
    const { splits } = trial;
    if (splits === undefined || known.free.has(row.digest)) return row;
    const stored = storedValue(known, row.digest);
    if (stored === null && !splits.within) return row;
    const asked = questionsIn(row.val);
    const [question] = asked;
    if (question === undefined) return row;
    const own = this.#own.get(row.digest);
    const before = stored === null ? (own?.questions ?? []) : questionsIn(stored);
    if (before.length === 0) {
      if (stored === null && splits.within)
        this.#own.set(row.digest, { members: own?.members ?? membersOf(row.val), questions: asked });
      return row;
    }
    if (before.some((one) => asked.includes(one))) return row;
    this.notes.split(trial.sample, splits.by, question, before[0] ?? "");
    const stable = isJsonObject(trial.stable) ? { ...trial.stable, question } : trial.stable;
    return { ...row, digest: rowDigest(stable), val: { ...row.val, question } };
  }

  #place(trial: LogTrial, row: TrialRow, known: Known, isFirst: boolean): Omit<PlacedRow, "isSplit"> {
    const { digest, val } = row;
    const stored = known.free.has(digest) ? null : storedValue(known, digest);
    if (stored !== null) {
      const text = known.values.get(digest) ?? null;
      const apart = apartFrom(cleaned(val), stored);
      if (isFirst) noteApart(this.notes, trial.sample, { apart, stored });
      return { digest, val, text, details: withRow(row.details, apart) };
    }
    if (known.free.has(digest) && isFirst && !isSame(val, storedValue(known, digest) ?? {}))
      this.notes.replaced++;
    return { digest, val, text: null, details: withRow(row.details, this.#ownApart(trial, row)) };
  }

  /** Members in which a row differs from what the source said of it first. */
  #ownApart(trial: LogTrial, { digest, val }: TrialRow): JsonObject {
    if (trial.rowsAgree === true) return {};
    const before = this.#own.get(digest);
    const members = membersOf(val);
    if (before === undefined) {
      this.#own.set(digest, { members, questions: [] });
      return {};
    }
    const apart = Object.keys(members).filter((name) => members[name] !== before.members[name]);
    for (const name of apart) this.notes.repeated(name, digest);
    return only(val, apart);
  }
}

/** Names under which a row has what was asked. */
export const QUESTIONS: readonly string[] = [
  "input",
  "question",
  "query",
  "problem",
  "instruction",
  "user_input",
  "task_description",
  "goal",
];

/** What a row asks, by any of its names. */
function questionsIn(val: JsonObject): readonly string[] {
  const { input } = val;
  const inputs = isJsonObject(input) ? QUESTIONS.map((name) => input[name]) : [];
  return [...QUESTIONS.map((name) => val[name]), ...inputs].flatMap((value) => {
    if (value === undefined || value === null || (value === input && isJsonObject(value))) return [];
    const text = textOf(value);
    return text === "" ? [] : [text];
  });
}

function textOf(value: Json): string {
  return (typeof value === "string" ? value : canonicalJson(value)).trim();
}

/** Whether two values are the same, or the same text without blanks at the ends. */
function isSame(one: Json, other: Json | undefined): boolean {
  return other !== undefined && (one === other || textOf(one) === textOf(other));
}

/** A value as it would be stored. */
function cleaned(val: JsonObject): JsonObject {
  return (parseJson(recordText({ val }).text) as { readonly val: JsonObject }).val;
}

function storedValue({ values, parsed }: Known, digest: string): JsonObject | null {
  const text = values.get(digest);
  if (text === undefined) return null;
  const found = parsed.get(digest) ?? objectOf(parseJson(text));
  parsed.set(digest, found);
  return found;
}

export const objectOf = (value: Json): JsonObject => (isJsonObject(value) ? value : { value });

/** Members of a row that is stored otherwise, or without them. */
export function apartFrom(own: JsonObject, stored: JsonObject): JsonObject {
  const apart = Object.keys(own).filter((name) => !isSame(own[name] ?? null, stored[name]));
  return only(own, apart);
}

/** Notes in what a row of a source differs from what is stored. */
export function noteApart(
  notes: RowNotes,
  sample: string,
  { apart, stored }: { readonly apart: JsonObject; readonly stored: JsonObject },
): void {
  for (const [name, here] of Object.entries(apart)) {
    const there = stored[name];
    if (there === undefined) notes.lacking(name);
    else notes.differing(name, sample, textOf(here), textOf(there));
  }
}

/** The hash of each member. */
function membersOf(val: JsonObject): OwnRow["members"] {
  return Object.fromEntries(Object.entries(val).map(([name, value]) => [name, shortHash(textOf(value))]));
}

const LONGEST = 43;

function shortHash(text: string): string {
  return text.length <= LONGEST ? text : rowDigest(text);
}

function only(val: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, val[name] ?? null]));
}

/** Details of a trial with what its row is stored without. */
export function withRow(details: JsonObject, apart: JsonObject): JsonObject {
  if (Object.keys(apart).length === 0) return details;
  return { ...details, row: { ...apart, ...objectAt(details, "row") } };
}
