import { readTime } from "../../translate/times.ts";
import type { TableMapping } from "../../translate/table-mapping.ts";
import { rowName, textOf } from "./cells.ts";
import { ColumnCounts } from "./column-types.ts";
import { firstFitting, GUESSES } from "./guess-names.ts";
import { ambiguous, type NamedRoles } from "./roles.ts";
import { RowFacts } from "./row-facts.ts";
import { cellText, type TableReader, type TableRecord } from "./readers/table-reader.ts";

/** `model`, `model_name` and `model_id` mean the same. */
const MODEL_SYNONYMS = 3;

/** Sees all records of a table before its trials are made. */
export class Survey {
  readonly counts: ColumnCounts;
  readonly rows: RowFacts;
  readonly models = new Set<string>();
  /** Of a table with one record a score, the values of each score. */
  readonly metrics = new Map<string, ColumnCounts>();
  hasRepeats = false;
  lacksZone = false;
  /** Cells that should be times and are none, and the place of the first. */
  unreadTimes = 0;
  firstUnread = "";
  readonly #reader: TableReader;
  readonly #roles: NamedRoles;
  readonly #open: readonly number[];
  readonly #synonyms: readonly number[];
  readonly #seen = new Set<string>();

  constructor(reader: TableReader, roles: NamedRoles, { model, modelName }: TableMapping) {
    this.#reader = reader;
    this.#roles = roles;
    this.#open = roles.open.map((column) => reader.columns.indexOf(column));
    this.counts = new ColumnCounts(reader);
    this.rows = new RowFacts(roles.open);
    const isOpen = model === undefined && modelName === undefined;
    this.#synonyms = isOpen ? synonymsIn(reader.columns) : [];
  }

  add(record: TableRecord): void {
    const { columns } = this.#reader;
    this.counts.add(record.cells, record.place);
    this.#checkModel(record);
    const row = rowName(columns, record, this.#roles);
    this.rows.add(
      row,
      this.#open.map((i) => cellText(record.cells[i])),
    );
    const model = textOf(columns, record, this.#roles.model);
    this.models.add(model);
    if (this.#roles.metric === null) this.#addTrial(row, model, record);
    else this.#addScore(record);
    if (this.#roles.started !== null) this.#addTime(record, this.#roles.started);
  }

  #addTime(record: TableRecord, column: string): void {
    const text = textOf(this.#reader.columns, record, column);
    const time = readTime(text);
    if (time?.hasZone === false) this.lacksZone = true;
    if (time !== null || text === "" || !Number.isNaN(Number(text))) return;
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

  #addTrial(row: string, model: string, record: TableRecord): void {
    if (this.hasRepeats) return;
    const key = `${model}\0${textOf(this.#reader.columns, record, this.#roles.evaluation)}\0${row}`;
    this.hasRepeats = this.#seen.has(key);
    this.#seen.add(key);
  }

  #addScore(record: TableRecord): void {
    const { columns } = this.#reader;
    const metric = textOf(columns, record, this.#roles.metric);
    const counts = this.metrics.get(metric) ?? new ColumnCounts(this.#reader);
    this.metrics.set(metric, counts);
    counts.add([record.cells[columns.indexOf(this.#roles.value ?? "")]], record.place);
  }
}

function synonymsIn(columns: readonly string[]): number[] {
  const found = GUESSES.model.slice(0, MODEL_SYNONYMS).flatMap((name) => firstFitting(columns, [name]));
  return found.map((column) => columns.indexOf(column));
}
