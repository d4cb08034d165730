import { namedIn, rowName, textOf, textsOf } from "./cells.ts";
import { ColumnCount } from "./column-types.ts";
import { firstFitting, isRunName, isTruthName } from "./guess-names.ts";
import { cellText, type TableReader, type TableRecord } from "./readers/table-reader.ts";
import type { NamedRoles } from "./find-roles.ts";
import { ambiguous } from "./given-texts.ts";
import { namesOf } from "./roles.ts";
import { nameList } from "../../../model/messages.ts";
import type { TableMapping } from "../../translate/table-mapping.ts";
import { lacksZone, readTime } from "../../translate/times.ts";
import { createHash } from "node:crypto";

/**
 * Which columns are the same in all records of a row. Holds a number of 32 bits for each row and column, so that a
 * table of a million rows fits into memory.
 */
class RowFacts {
  readonly #rows = new Map<string, number>();
  readonly columns: readonly string[];
  readonly #varies: boolean[];
  #hashes = new Uint32Array(1024);

  constructor(columns: readonly string[]) {
    this.columns = columns;
    this.#varies = columns.map(() => false);
  }

  /** `textAt`: the text of the record in each column. */
  add(row: string, textAt: (column: number) => string): void {
    const width = this.#varies.length;
    if (width === 0) return;
    const known = this.#rows.get(row);
    const at = (known ?? this.#rows.size) * width;
    if (known === undefined) {
      this.#rows.set(row, this.#rows.size);
      this.#grow(at + width);
    }
    for (let i = 0; i < width; i++)
      if (known === undefined) this.#hashes[at + i] = cellHash(textAt(i));
      else if (this.#varies[i] === false && this.#hashes[at + i] !== cellHash(textAt(i)))
        this.#varies[i] = true;
  }

  isConstant(column: string): boolean {
    return this.#varies[this.columns.indexOf(column)] === false;
  }

  #grow(length: number): void {
    if (length <= this.#hashes.length) return;
    const larger = new Uint32Array(Math.max(length, this.#hashes.length * 2));
    larger.set(this.#hashes);
    this.#hashes = larger;
  }
}

export function cellHash(text: string): number {
  if (text.length > 64) return createHash("md5").update(text).digest().readUInt32LE(0);
  let hash = 2166136261;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
  return hash >>> 0;
}

/** `model`, `model_name` and `model_id` mean the same. */
const MODEL_SYNONYMS = 3;

/** Columns that are looked at besides their cells. */
interface Watched {
  /** Columns that may belong to the row. */
  readonly fields: readonly string[];
  /** Columns that may tell apart the records of a row. */
  readonly factors: readonly string[];
}

/** Sees all records of a table before its trials are made. */
export class Survey {
  readonly counts: readonly ColumnCount[];
  records = 0;
  readonly rows: RowFacts;
  readonly models = new Set<string>();
  /** Columns named by what is right, such as `correct`, that hold the text of the output in some record. */
  readonly answers = new Set<string>();
  /** The values of each score, in a table with one record a score. */
  readonly metrics = new Map<string, ColumnCount>();
  /** Which factors are the same in all records of one row and run. */
  readonly factors: RowFacts;
  /** The first model of each name, where models are objects; and names of which there are several. */
  readonly #objects = new Map<string, string>();
  readonly #several = new Set<string>();
  /** Columns that name the evaluation or run of a record. */
  readonly #ofRun: readonly string[];
  /** The evaluations that they name; null once two records have one. */
  #evaluations: Set<string> | null;
  hasRepeats = false;
  lacksZone = false;
  /** Cells that should be times and are none, and the place of the first. */
  unreadTimes = 0;
  firstUnread = "";
  readonly #reader: TableReader;
  readonly #roles: NamedRoles;
  readonly #watched: Watched;
  readonly #synonyms: readonly number[];
  readonly #truths: readonly string[];
  readonly #seen = new Set<string>();
  /** Columns of the row and its input: one row may hold several things. */
  readonly #told: readonly string[];

  constructor(
    reader: TableReader,
    roles: NamedRoles,
    { model, modelName, evaluation }: TableMapping,
    watched: Watched,
  ) {
    this.#reader = reader;
    this.#roles = roles;
    this.#watched = watched;
    this.#truths = roles.output.length === 1 ? roles.open.filter(isTruthName) : [];
    this.counts = reader.columns.map(() => new ColumnCount());
    this.#told = roles.row.length === 0 ? [] : [...roles.row, ...roles.input, ...roles.expected];
    this.rows = new RowFacts([...watched.fields, ...this.#told]);
    this.factors = new RowFacts(watched.factors);
    const isOpen = model === undefined && modelName === undefined;
    this.#synonyms = isOpen ? synonymsIn(reader.columns) : [];
    this.#ofRun = evaluation === undefined ? [...roles.evaluation, ...roles.trial.filter(isRunName)] : [];
    this.#evaluations = this.#ofRun.length === 0 ? null : new Set();
  }

  /** Columns of evaluations where each of several records has one of its own. */
  get ownEvaluations(): readonly string[] {
    return this.#evaluations === null || this.records < 2 ? [] : this.#ofRun;
  }

  add(record: TableRecord): void {
    const { columns } = this.#reader;
    this.records++;
    for (const [i, count] of this.counts.entries()) count.add(record.cells[i], record.place);
    this.#checkModel(record);
    const row = rowName(columns, record, this.#roles);
    const { fields, factors } = this.#watched;
    this.rows.add(row, (i) => {
      const field = fields[i];
      return field === undefined
        ? this.#typed(record, this.#told[i - fields.length] ?? "")
        : textOf(columns, record, field);
    });
    for (const column of this.#truths) {
      const text = textOf(columns, record, column);
      if (text !== "" && text === textsOf(columns, record, this.#roles.output)) this.answers.add(column);
    }
    const run = runOf(columns, record, this.#roles);
    this.#addModel(record);
    this.factors.add(run, (i) => textOf(columns, record, factors[i] ?? ""));
    this.#addRepeat(`${run}\0${textsOf(columns, record, this.#roles.trial)}`);
    if (this.#roles.metric.length > 0) this.#addScore(record);
    for (const column of this.#roles.started) this.#addTime(record, column);
    this.#addEvaluation(record);
  }

  #addModel(record: TableRecord): void {
    const { columns } = this.#reader;
    const model = namedIn(columns, record, this.#roles.model);
    this.models.add(model);
    const whole = textsOf(columns, record, this.#roles.model);
    if (whole !== model && (this.#objects.get(model) ?? whole) !== whole) this.#several.add(model);
    if (whole !== model && !this.#objects.has(model)) this.#objects.set(model, whole);
  }

  #addEvaluation(record: TableRecord): void {
    if (this.#evaluations === null) return;
    const name = textsOf(this.#reader.columns, record, this.#ofRun);
    if (this.#evaluations.has(name)) this.#evaluations = null;
    else this.#evaluations.add(name);
  }

  /** A number and the text of it are different values of a file that tells them apart. */
  #typed(record: TableRecord, column: string): string {
    const cell = record.cells[this.#reader.columns.indexOf(column)];
    const isId = typeof cell === "string" && this.#roles.row.includes(column);
    return `${isId ? "t" : ""}${cellText(cell).trim()}`;
  }

  #addTime(record: TableRecord, column: string): void {
    const text = textOf(this.#reader.columns, record, column);
    if (lacksZone(text)) this.lacksZone = true;
    if (readTime(text) !== null || text === "" || !Number.isNaN(Number(text))) return;
    if (this.unreadTimes++ === 0) this.firstUnread = record.place;
  }

  #checkModel({ cells }: TableRecord): void {
    const [first = 0, ...others] = this.#synonyms;
    const other = others.find((one) => cells[one] !== cells[first]);
    if (other === undefined) return;
    const { columns } = this.#reader;
    throw ambiguous(
      `${columns[first]} and ${columns[other]} may both be the model, and differ: name one with --model-column`,
    );
  }

  #addRepeat(trial: string): void {
    if (this.hasRepeats) return;
    this.hasRepeats = this.#seen.has(trial);
    this.#seen.add(trial);
  }

  /** Whether records of one row have one input and one expected answer. */
  get rowsAgree(): boolean {
    return this.#told.every((column) => this.rows.isConstant(column));
  }

  /** Whether two records of one row have different texts in a column of the input. */
  get hasTwoInputs(): boolean {
    return this.#roles.input.some((column) => this.#told.includes(column) && !this.rows.isConstant(column));
  }

  /** What records that should be alike differ in. */
  *differences(): Generator<string> {
    if (this.#several.size > 0)
      yield `${this.#roles.model.join(", ")}: objects of one name differ, and count as one model: ${nameList([...this.#several])}`;
    for (const column of this.#told)
      if (this.#roles.row.includes(column) && !this.rows.isConstant(column))
        yield `${column}: some values are a number in one record and its text in another; such records count as one row`;
  }

  #addScore(record: TableRecord): void {
    const { columns } = this.#reader;
    const metric = textsOf(columns, record, this.#roles.metric);
    const counts = this.metrics.get(metric) ?? new ColumnCount();
    this.metrics.set(metric, counts);
    counts.add(record.cells[columns.indexOf(this.#roles.value[0] ?? "")], record.place);
  }
}

/** What names the row, model and evaluation of a record, and its score where it is one. */
export function runOf(columns: readonly string[], record: TableRecord, roles: NamedRoles): string {
  const { question } = roles;
  const named = (role: readonly string[]) => namedIn(columns, record, role);
  const names = `${named(roles.task)}\0${named(roles.model)}\0${named(roles.evaluation)}\0${named(roles.metric)}`;
  const asked = question === null ? "" : textOf(columns, record, question);
  return `${names}\0${rowName(columns, record, roles)}\0${asked}`;
}

function synonymsIn(columns: readonly string[]): number[] {
  const found = namesOf("names", "model")
    .slice(0, MODEL_SYNONYMS)
    .flatMap((name) => firstFitting(columns, [name]));
  return found.map((column) => columns.indexOf(column));
}
