import { agrees, figureOf, unchecked } from "../../check/agreement.ts";
import { meanOf } from "../../check/moments.ts";
import { valuesByRow, type ScoreBook } from "../../check/score-book.ts";
import type { Format, LogSource, ReadContext } from "../../format.ts";
import { rowName, scoreOf, type TableView, textOf, textsOf } from "./cells.ts";
import { findTable, type FoundTable } from "./find-records.ts";
import { plainName } from "./guess-names.ts";
import { isObjectTable, isTable } from "./readers/open-table.ts";
import { reportOf } from "./readers/report-table.ts";
import type { TableRecord } from "./readers/table-reader.ts";
import { evaluationOf, type RecordScores, trialOf } from "./trials.ts";
import { orRefused, SourceFault } from "../../read/fault.ts";
import type { LogEvaluation, LogItem } from "../../translate/log-parts.ts";
import type { Json } from "../../../model/json.ts";

const COUNTS = new Set(["total", "count", "n"]);
/** Counts of a score of booleans. */
const OF_TRUTHS = new Set(["passed", "failed", "resolved_instances"]);
const MEANS = new Set(["accuracy", "pass_rate"]);
const PERCENT = /_(pct|percent)$/;
const MEAN_OF = /^(?:mean_|avg_)(.+)$|^(.+)_mean$/;

/** What figures beside the records of a table are compared with. */
interface Computed {
  readonly evaluation: string;
  readonly trials: number;
  /** Whether a row has several trials. */
  readonly hasRepeats: boolean;
  readonly scores: readonly string[];
  readonly booleans: readonly string[];
  readonly book: ScoreBook;
}

/** Compares a figure with what the trials give, where its name says what it is. */
function compared(
  name: string,
  stated: number,
  { evaluation, trials, hasRepeats, scores, booleans, book }: Computed,
): LogItem {
  if (COUNTS.has(name) && (!Number.isSafeInteger(stated) || (hasRepeats && stated !== trials)))
    return unchecked(name, "it may count something else than trials");
  if (COUNTS.has(name)) return figureOf(evaluation, null, name, stated, trials);
  const isCount = OF_TRUTHS.has(name);
  const key = meantScore(name, scores, booleans);
  const found = key === null ? null : book.find(evaluation, [key]);
  if (key === null || found === null)
    return unchecked(name, "its name does not say of which score it is, or how it is made");
  const byRow = valuesByRow(found);
  const known = byRow.flat();
  const isPercent =
    PERCENT.test(plainName(name)) ||
    name.includes("%") ||
    (stated > 1 && known.every((value) => value >= 0 && value <= 1));
  // A tolerance counts in relation to the figure, too, where that is above 1.
  const rounded = Math.max(1e-9, halfDigit(stated, isPercent) / Math.max(1, Math.abs(stated)));
  const means = [meanOf(known), meanOf(byRow.map(meanOf))].map((mean) => (isPercent ? mean * 100 : mean));
  const figure = (way: number, tolerance: number) => ({
    ...figureOf(evaluation, key, name, stated, way),
    tolerance,
  });
  const passed = known.filter((value) => (value === 1) === (name !== "failed")).length;
  const sum = known.reduce((all, value) => all + value, 0);
  const ways = isCount
    ? [figure(passed, 0)]
    : [...means.map((mean) => figure(mean, rounded)), ...(name === key ? [figure(sum, 1e-9)] : [])];
  const fitting = ways.find((way) => agrees(way.figure, way.tolerance));
  if (known.length < trials && fitting === undefined)
    return unchecked(name, `${trials - known.length} trials have no ${key}, and may count in it`);
  return fitting ?? figure(isCount ? passed : (means[0] ?? sum), 0);
}

/** The score that a figure is of; null where its name does not say. */
function meantScore(name: string, scores: readonly string[], booleans: readonly string[]): string | null {
  if (OF_TRUTHS.has(name)) return booleans.length === 1 ? (booleans[0] ?? null) : null;
  const plain = plainName(name).replace(PERCENT, "");
  const [, before, behind] = MEAN_OF.exec(plain) ?? [];
  const named = scores.find((score) => [plain, before ?? behind].includes(plainName(score)));
  if (named !== undefined) return named;
  return MEANS.has(plain) && scores.length === 1 ? (scores[0] ?? null) : null;
}

/** Half of the last digit of a rounded figure; 0 for a whole number that is no percentage. */
function halfDigit(stated: number, isPercent: boolean): number {
  const digits = /\.(\d+)$/.exec(String(stated))?.[1]?.length ?? 0;
  return digits === 0 && !isPercent ? 0 : 0.5 * 10 ** -digits;
}

/** Tables with one record a trial, or one a score: CSV, TSV, NDJSON, JSON, Parquet, Arrow. */
export const table: Format = {
  name: "table",
  statesNoFigures: (head) => !isObjectTable(head) && reportOf(head.json) === null,
  recognises: isTable,
  read: readTable,
};

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
  yield* figuresOf(found, begun, context);
}

function* figuresOf({ run, view }: FoundTable, begun: Begun, { book }: ReadContext): Generator<LogItem> {
  const [evaluation, ...others] = begun.evaluations;
  const scores = [...view.roles.score, ...(view.roles.match === null ? [] : ["match"])];
  const isBoolean = (score: string) => score === "match" || view.scores.get(score)?.facts.type === "boolean";
  const booleans = scores.filter(isBoolean);
  const { trials } = begun;
  const hasRepeats = view.roles.trial.length > 0 || begun.repeats > 0;
  for (const [name, stated] of run.figures)
    yield evaluation === undefined || others.length > 0
      ? unchecked(name, "the records are several evaluations")
      : compared(name, stated, { evaluation, trials, hasRepeats, scores, booleans, book });
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
    begun.evaluations.add(evaluation.id);
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
  return { kind: "trial", trial: trialOf(view, record, evaluation, trial, scores) };
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
  for (const column of roles.score) add(column, column);
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
  if (begun.isFirst(evaluation.id, row, repeat.name)) yield { kind: "trial", trial };
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

/** What was given out so far: evaluations, and trials by row. */
class Begun {
  readonly evaluations = new Set<string>();
  readonly #counts = new Map<string, number>();
  readonly #first = new Set<string>();
  trials = 0;
  repeats = 0;

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
