import type { ReadContext } from "../../format.ts";

import type { TableMapping } from "../../translate/table-mapping.ts";
import { rowName, textOf, type TableView } from "./cells.ts";
import { ColumnCounts, type ColumnFacts } from "./column-types.ts";
import { describeRoles, mappingOf } from "./describe-roles.ts";
import { firstFitting, GUESSES } from "./guess-names.ts";
import { ambiguous, findRoles, type TableRoles } from "./roles.ts";
import { RowFacts } from "./row-facts.ts";
import { readTime } from "../../translate/times.ts";
import { cellText, type TableReader, type TableRecord } from "./table-reader.ts";

/** A table whose roles are known. */
export interface SettledTable {
  readonly view: TableView;
  readonly mapping: TableMapping;
  /** The roles as a sentence. */
  readonly text: string;
  readonly notes: readonly string[];
}

/** Reads a table for the types of its columns, and finds their roles. Throws {@link SourceFault}. */
export async function settleTable(
  reader: TableReader,
  name: string,
  context: ReadContext,
): Promise<SettledTable> {
  const counts = new ColumnCounts(reader);
  const survey = new Survey(reader, context.table);
  for await (const { cells, fault } of reader.records()) {
    if (fault !== undefined) continue;
    counts.add(cells);
    survey.add(cells);
  }
  const { columns, isText } = reader;
  const facts = counts.facts(columns.length);
  const roles = findRoles(columns, facts, context.table);
  survey.checkModel(roles);
  const found = await surveyRows(reader, roles);
  const ofRow = new Set(roles.metadata.filter((_, i) => found.rows.isConstant(i)));
  const mapping = mappingOf(roles, context.table);
  const metrics = new Map(Array.from(found.metrics, ([metric, one]) => [metric, oneColumn(one)]));
  const view: TableView = { name, columns, facts, isText, roles, mapping, metrics, ofRow };
  const { models, hasRepeats } = found;
  const summary = { name, columns, facts, models, hasRepeats, ofRow: [...ofRow] };
  return { view, mapping, text: describeRoles(roles, mapping, summary), notes: notesOf(view, found) };
}

/** Sees whether columns that may both name the model say the same. */
class Survey {
  readonly #isOpen: boolean;
  readonly #columns: readonly string[];
  readonly #differing = new Set<string>();
  #candidates: readonly number[] = [];
  #looked = 0;

  constructor({ columns }: TableReader, { model, modelName }: TableMapping) {
    this.#columns = columns;
    this.#isOpen = model === undefined && modelName === undefined;
  }

  add(cells: readonly unknown[]): void {
    if (!this.#isOpen) return;
    if (this.#looked !== this.#columns.length) {
      this.#looked = this.#columns.length;
      this.#candidates = candidatesOf(this.#columns);
    }
    const [first, ...others] = this.#candidates;
    if (first === undefined) return;
    for (const other of others)
      if (cells[first] !== cells[other]) this.#differing.add(this.#columns[other] ?? "");
  }

  checkModel({ model }: TableRoles): void {
    const [other] = this.#differing;
    if (model === null || other === undefined) return;
    throw ambiguous(`${model} and ${other} may both be the model, and differ: name one with --model-column`);
  }
}

function candidatesOf(columns: readonly string[]): number[] {
  return GUESSES.model
    .slice(0, MODEL_SYNONYMS)
    .flatMap((name) => firstFitting(columns, [name]))
    .map((column) => columns.indexOf(column));
}

/** `model`, `model_name` and `model_id` mean the same. */
const MODEL_SYNONYMS = 3;

/** Reads a table once its roles are known: which columns belong to rows, how many models there are, which scores are texts. */
async function surveyRows(reader: TableReader, roles: TableRoles) {
  const rows = new RowFacts(roles.metadata.length);
  const models = new Set<string>();
  const seen = new Set<string>();
  const texts = new Map<string, { count: number; readonly first: string }>();
  const { columns } = reader;
  const metrics = new Map<string, ColumnCounts>();
  let hasRepeats = false;
  let lacksZone = false;
  for await (const record of reader.records()) {
    if (record.fault !== undefined) continue;
    const row = rowName(columns, record, roles);
    rows.add(
      row,
      roles.metadata.map((column) => cellText(record.cells[columns.indexOf(column)])),
    );
    const model = textOf(columns, record, roles.model);
    models.add(model);
    if (!hasRepeats && roles.metric === null) {
      const key = `${model}\0${textOf(columns, record, roles.evaluation)}\0${row}`;
      hasRepeats = seen.has(key);
      seen.add(key);
    }
    if (roles.metric !== null) {
      const metric = textOf(columns, record, roles.metric);
      const counts = metrics.get(metric) ?? new ColumnCounts(reader);
      metrics.set(metric, counts);
      counts.add([record.cells[columns.indexOf(roles.value ?? "")]]);
    }
    if (!lacksZone && roles.started !== null)
      lacksZone = readTime(textOf(columns, record, roles.started))?.hasZone === false;
    countTexts(texts, columns, record, roles.scores);
  }
  return { rows, models: models.size, hasRepeats, lacksZone, texts, metrics };
}

function countTexts(
  texts: Map<string, { count: number; readonly first: string }>,
  columns: readonly string[],
  { cells, place }: TableRecord,
  scores: readonly string[],
): void {
  for (const column of scores) {
    const cell = cells[columns.indexOf(column)];
    if (typeof cell !== "string" || cell === "") continue;
    const found = texts.get(column);
    if (found === undefined) texts.set(column, { count: 1, first: place });
    else found.count++;
  }
}

const EMPTY: ColumnFacts = { type: "empty", notAvailable: 0, trueWord: "true" };

function oneColumn(counts: ColumnCounts): ColumnFacts {
  return counts.facts(1)[0] ?? EMPTY;
}

type Texts = ReadonlyMap<string, { readonly count: number; readonly first: string }>;

function notesOf(
  view: TableView,
  { texts, lacksZone }: { readonly texts: Texts; readonly lacksZone: boolean },
): string[] {
  const notes: string[] = [];
  const { roles, columns, facts, mapping } = view;
  if (roles.model === null && roles.modelColumns.length === 0 && mapping.modelName === undefined)
    notes.push("no column names the model; it is unknown, --model names it");
  if (roles.started === null) notes.push("the table has no times; trials count as of 1970");
  if (lacksZone) notes.push("a time without zone counts as UTC");
  for (const column of roles.scores) {
    const { type, notAvailable } = factsOf(facts, columns, column);
    const found = texts.get(column);
    if (notAvailable > 0) notes.push(`${column}: ${notAvailable} cells such as NA count as empty`);
    if (type === "text" && found !== undefined)
      notes.push(
        `${column}: ${found.count} records have a text, the first at ${found.first}; texts stay texts`,
      );
  }
  return notes;
}

function factsOf(facts: readonly ColumnFacts[], columns: readonly string[], column: string): ColumnFacts {
  return facts[columns.indexOf(column)] ?? EMPTY;
}
