import type { Format, LogSource, ReadContext } from "../../format.ts";
import { rowName, scoreOf, type TableView, textOf, textsOf } from "./cells.ts";
import { BegunTrials } from "./begun-trials.ts";
import { findTable, type FoundTable } from "./find-records.ts";
import { comparedFigures, type Computed, missingRecords, totalIn, verdictsOf } from "./figures.ts";
import { isObjectTable, isTable } from "./open-table.ts";
import { isTrialFile } from "./trial-file.ts";
import { Ratings } from "./ratings.ts";
import { reportOf } from "./readers/report-table.ts";
import { mayBeFigures } from "./first-figures.ts";
import type { TableRecord } from "./readers/table-reader.ts";
import { answerOf, namesOfTrial, evaluationOf, type RecordScores, trialOf } from "./trials.ts";
import type { Head } from "../../recognise/head.ts";
import { orRefused, SourceFault } from "../../read/fault.ts";
import type { LogEvaluation, LogItem } from "../../translate/log-parts.ts";
import { isJsonObject, type Json } from "../../../model/json.ts";

/** Tables with one record a trial, or one a score: CSV, TSV, NDJSON, JSON, Parquet, Arrow. */
export const table: Format = {
  name: "table",
  statesNoFigures: (head) => !isObjectTable(head) && reportOf(head.json) === null && !beginsWithFigures(head),
  recognises: isTable,
  holdsOneTrial: isTrialFile,
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
  const begun = new BegunTrials();
  const ratings = settled.view.roles.rater.length === 0 ? null : new Ratings(settled.view.roles);
  for await (const record of profiled.reader.records()) {
    const read = () => itemsOf(found, record, begun, ratings);
    yield* orRefused(read, record.place, context.refuse) ?? [];
  }
  if (ratings !== null) yield* ratings.items(begun);
  yield* begun.notes();
  if (run.partOf !== null) yield { kind: "part", text: run.partOf };
  yield* figuresOf(found, begun, context);
}

function* figuresOf(
  { run, view }: FoundTable,
  begun: BegunTrials,
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

function itemsOf(
  { view, run }: FoundTable,
  record: TableRecord,
  begun: BegunTrials,
  ratings: Ratings | null,
): LogItem[] {
  checkRecord(view, record);
  const items: LogItem[] = [];
  const { roles } = view;
  const models = roles.modelColumns.length > 0 ? roles.modelColumns : [null];
  for (const model of models) {
    const names = namesOfTrial(view, record, model);
    const evaluation = begun.evaluation(JSON.stringify(names), () => evaluationOf(view, names, run));
    if (ratings !== null) addRating(view, record, evaluation, begun, ratings);
    else if (roles.metric.length > 0) items.push(...longItems(view, record, evaluation, begun));
    else items.push(trialItem(view, record, evaluation, model, begun));
  }
  return items;
}

/** What tells the row of a record apart from others. */
function rowKey({ roles, columns, splits }: TableView, record: TableRecord, begun: BegunTrials): string {
  const row = rowName(columns, record, roles);
  if (splits?.within !== true || roles.question === null) return row;
  return begun.rowOf(row, textOf(columns, record, roles.question));
}

function trialItem(
  view: TableView,
  record: TableRecord,
  evaluation: LogEvaluation,
  model: string | null,
  begun: BegunTrials,
): LogItem {
  const { roles, columns } = view;
  const row = rowKey(view, record, begun);
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

/** A record of one rater of a trial; of a table with one record a score, of that score. */
function addRating(
  view: TableView,
  record: TableRecord,
  evaluation: LogEvaluation,
  begun: BegunTrials,
  ratings: Ratings,
): void {
  const { roles, columns } = view;
  const metric = roles.metric.length === 0 ? null : metricOf(view, record);
  const { values, texts } =
    metric === null ? scoresOf(view, record, null) : metricScore(view, record, metric);
  const rater = textsOf(columns, record, roles.rater);
  const row = rowKey(view, record, begun);
  const own = textsOf(columns, record, roles.trial);
  const named = begun.trial(evaluation.id, JSON.stringify([row, metric, rater]), own);
  const trial = trialOf(view, record, evaluation, named, { values, texts: {} });
  ratings.add(JSON.stringify([evaluation.id, row, named.name]), { trial, rater, texts });
}

function metricOf({ columns, roles }: TableView, record: TableRecord): string {
  const metric = textsOf(columns, record, roles.metric);
  if (metric === "")
    throw new SourceFault("invalid", record.place, `has nothing in ${roles.metric.join(", ")}`);
  return metric;
}

function metricScore(view: TableView, record: TableRecord, metric: string): RecordScores {
  const { value, text } = scoreOf(view, record, view.roles.value[0] ?? "", metric);
  return { values: { [metric]: value }, texts: text === null ? {} : { [metric]: { text } } };
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
    const { output: said, steps } = answerOf(view, record, [roles.match.output]);
    const output = steps === undefined ? textOf(columns, record, roles.match.output) : said;
    const expected = textOf(columns, record, roles.match.expected);
    values["match"] = output === "" || output === null || expected === "" ? null : output === expected;
  }
  return { values, texts };
}

/** A record that is one score: the trial where it is met first, and the score. */
function* longItems(
  view: TableView,
  record: TableRecord,
  evaluation: LogEvaluation,
  begun: BegunTrials,
): Generator<LogItem> {
  const { roles, columns } = view;
  const row = rowKey(view, record, begun);
  const key = metricOf(view, record);
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
