import type { Format, LogSource, ReadContext } from "../../format.ts";
import { rowName, scoreOf, type TableView, textOf, textsOf } from "./cells.ts";
import { findTable, type FoundTable } from "./find-records.ts";
import { comparedFigures, type Computed, missingRecords, totalIn, verdictsOf } from "./figures.ts";
import { isObjectTable, isTable } from "./open-table.ts";
import { reportOf } from "./readers/report-table.ts";
import { mayBeFigures } from "./first-figures.ts";
import type { TableRecord } from "./readers/table-reader.ts";
import { evaluationOf, type RecordScores, trialOf } from "./trials.ts";
import type { Head } from "../../recognise/head.ts";
import { orRefused, SourceFault } from "../../read/fault.ts";
import type { LogEvaluation, LogItem, LogTrial } from "../../translate/log-parts.ts";
import { isJsonObject, type Json } from "../../../model/json.ts";

/** Tables with one record a trial, or one a score: CSV, TSV, NDJSON, JSON, Parquet, Arrow. */
export const table: Format = {
  name: "table",
  statesNoFigures: (head) => !isObjectTable(head) && reportOf(head.json) === null && !beginsWithFigures(head),
  recognises: isTable,
  read: readTable,
};

function beginsWithFigures({ json, firstLine }: Head): boolean {
  return mayBeFigures(Array.isArray(json) ? (json[0] as Head["json"]) : firstLine);
}

/** It is read twice: types are a column's. */
async function* readTable(source: LogSource, context: ReadContext): AsyncGenerator<LogItem> {
  const found = await findTable(source, context);
  const { profiled, run, ...settled } = found;
  yield { kind: "mapping", text: settled.text, mapping: settled.view.mapping };
  yield* [...run.notes, ...settled.notes].map((text): LogItem => ({ kind: "note", text }));
  const begun = new Begun();
  for await (const record of profiled.reader.records()) {
    const read = () => [...itemsOf(found, record, begun)];
    yield* orRefused(read, record.place, context.refuse) ?? [];
  }
  yield* begun.notes();
  if (run.partOf !== null) yield { kind: "part", text: run.partOf };
  yield* figuresOf(found, begun, context);
}

function* figuresOf(
  { run, view }: FoundTable,
  begun: Begun,
  { book, refused }: ReadContext,
): Generator<LogItem> {
  if (run.figures.length === 0) return;
  const scores = [...view.roles.score, ...(view.roles.match === null ? [] : ["match"])];
  const isBoolean = (score: string) => score === "match" || view.scores.get(score)?.facts.type === "boolean";
  const evaluations = [...begun.evaluations.values()];
  const hasRepeats = view.roles.trial.length > 0 || begun.repeats > 0;
  const total = totalIn(run.figures);
  const shared = { hasRepeats, scores, booleans: scores.filter(isBoolean), book, total };
  const computedOf = (task: string | null): Computed | null => {
    const of = evaluations.filter((one) => task === null || one.task === task);
    const [only] = of;
    if (only === undefined || of.length > 1) return null;
    return { ...shared, ...only };
  };
  yield* missingRecords(run.figures, begun.trials + refused(), verdictsOf(evaluations, shared));
  yield* comparedFigures({ figures: run.figures, computedOf });
}

function checkRecord({ columns, roles }: TableView, record: TableRecord): void {
  if (record.fault !== undefined) throw new SourceFault("invalid", record.place, record.fault);
  if (rowName(columns, record, roles) === "")
    throw new SourceFault("invalid", record.place, `has nothing in ${roles.row.join(", ")}`);
}

function* itemsOf({ view, run }: FoundTable, record: TableRecord, begun: Begun): Generator<LogItem> {
  checkRecord(view, record);
  const { roles } = view;
  const models = roles.modelColumns.length > 0 ? roles.modelColumns : [null];
  for (const model of models) {
    const evaluation = evaluationOf(view, record, model, run);
    begun.evaluation(evaluation);
    if (roles.metric.length > 0) yield* longItems(view, record, evaluation, begun);
    else yield trialItem(view, record, evaluation, model, begun);
  }
}

function trialItem(
  view: TableView,
  record: TableRecord,
  evaluation: LogEvaluation,
  model: string | null,
  begun: Begun,
): LogItem {
  const { roles, columns } = view;
  const row = rowName(columns, record, roles);
  const trial = begun.trial(evaluation.id, row, textsOf(columns, record, roles.trial));
  const scores = scoresOf(view, record, model);
  const item = trialOf(view, record, evaluation, trial, scores);
  begun.count(item);
  return { kind: "trial", trial: item };
}

function addDimension(
  values: { [key: string]: Json },
  [score, member]: readonly [string, string],
  value: Json,
): void {
  const others = values[score];
  values[score] = { ...(isJsonObject(others) ? others : {}), [member]: value };
}

function scoresOf(view: TableView, record: TableRecord, model: string | null): RecordScores {
  const { roles, columns, mapping } = view;
  const values: { [key: string]: Json } = {};
  const texts: { [key: string]: Json } = {};
  const add = (key: string, column: string) => {
    const { value, text } = scoreOf(view, record, column);
    values[key] = value;
    if (text !== null) texts[key] = { text };
  };
  if (model !== null) add(mapping.scoreName ?? "score", model);
  for (const column of roles.score) {
    const dimension = view.dimensions.get(column);
    if (dimension === undefined) add(column, column);
    else addDimension(values, dimension, scoreOf(view, record, column).value);
  }
  if (roles.match !== null) {
    const [output, expected] = [roles.match.output, roles.match.expected].map((one) =>
      textOf(columns, record, one),
    );
    values["match"] = output === "" || expected === "" ? null : output === expected;
  }
  return { values, texts };
}

/** A record that is one score: the trial where it is met first, and the score. */
function* longItems(
  view: TableView,
  record: TableRecord,
  evaluation: LogEvaluation,
  begun: Begun,
): Generator<LogItem> {
  const { roles, columns } = view;
  const row = rowName(columns, record, roles);
  const key = textsOf(columns, record, roles.metric);
  if (key === "") throw new SourceFault("invalid", record.place, `has nothing in ${roles.metric.join(", ")}`);
  const named = textsOf(columns, record, roles.trial);
  const repeat = begun.trial(evaluation.id, JSON.stringify([row, key]), named);
  const trial = trialOf(view, record, evaluation, repeat, { values: {}, texts: {} });
  if (begun.isFirst(evaluation.id, row, repeat.name)) {
    begun.count(trial);
    yield { kind: "trial", trial };
  }
  const { value, text } = scoreOf(view, record, roles.value[0] ?? "", key);
  const { place, sample, trial: name, index } = trial;
  const startedAt = trial.startedAt == null ? null : trial.startedAt + BigInt(index);
  const inputs = {
    ...(roles.output.length === 0 ? {} : { output: trial.output }),
    ...(text === null ? {} : { text }),
  };
  yield {
    kind: "score",
    score: { evaluation, place, sample, trial: name, key, value, inputs, startedAt, index },
  };
}

/** A trial of a row. */
interface NamedTrial {
  readonly name: string;
  readonly index: number;
}

/** An evaluation of a table, and what was given out of it. */
interface BegunEvaluation {
  readonly evaluation: string;
  readonly task: string;
  trials: number;
  errors: number;
}

/** What was given out so far: evaluations, and trials by row. */
class Begun {
  readonly evaluations = new Map<string, BegunEvaluation>();
  readonly #counts = new Map<string, number>();
  readonly #first = new Set<string>();
  trials = 0;
  repeats = 0;

  evaluation({ id, task }: LogEvaluation): void {
    if (!this.evaluations.has(id)) this.evaluations.set(id, { evaluation: id, task, trials: 0, errors: 0 });
  }

  count({ evaluation, error }: LogTrial): void {
    const begun = this.evaluations.get(evaluation.id);
    if (begun === undefined) return;
    begun.trials++;
    if (error != null) begun.errors++;
  }

  /** The name of a trial: its own, or how often its row was there before. */
  trial(evaluation: string, row: string, own: string): NamedTrial {
    this.trials++;
    const key = `${evaluation}\0${row}\0${own}`;
    const before = this.#counts.get(key) ?? 0;
    this.#counts.set(key, before + 1);
    if (before > 0) this.repeats++;
    if (own === "") return { name: String(before), index: before };
    const number = Number(own);
    const index = Number.isSafeInteger(number) && number >= 0 ? number : 0;
    return { name: before > 0 ? `${own}~${before + 1}` : own, index };
  }

  isFirst(evaluation: string, row: string, trial: string): boolean {
    const key = `${evaluation}\0${row}\0${trial}`;
    const isNew = !this.#first.has(key);
    this.#first.add(key);
    return isNew;
  }

  *notes(): Generator<LogItem> {
    if (this.repeats > 0)
      yield {
        kind: "note",
        text: `${this.repeats} records repeat a row of their evaluation, or a trial of it; their order tells which trial is which`,
      };
  }
}
