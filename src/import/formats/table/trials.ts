import { isJsonObject, type Json, type JsonObject } from "../../../model/json.ts";
import { parsedOr } from "../../../model/json-text.ts";
import { chatOfMessages, lastSaid } from "../../../model/step-items/chat-items.ts";
import { SourceFault } from "../../read/fault.ts";
import { checkAmount, checkTime, COST, LATENCY, TOKENS, type Bound } from "../../translate/bounds.ts";
import { hashOf, rootId } from "../../translate/ids.ts";
import type { LogEvaluation, LogPrediction, LogTrial } from "../../translate/log-parts.ts";
import { givenMembers } from "../../translate/table-mapping.ts";
import { readMoment } from "../../translate/times.ts";
import { namedIn, rowName, scoreOf, textOf, textsOf, valueOf, valuesOf, type TableView } from "./cells.ts";
import { isError } from "./column-types.ts";
import type { TableRun } from "./find-records.ts";
import { plainName, type Measure } from "./guess-names.ts";
import type { TableRecord } from "./readers/table-reader.ts";

/** What tells apart the evaluations of a table. */
type EvaluationNames = readonly [task: string, evaluation: string | null, model: string];

/** Which evaluation a record is of. `model` overrides the record's own. */
export function namesOfTrial(view: TableView, record: TableRecord, model: string | null): EvaluationNames {
  const { roles, mapping, columns } = view;
  const task = namedIn(columns, record, roles.task) || mapping.taskName || "";
  const parts = [mapping.evaluationName ?? "", namedIn(columns, record, roles.evaluation)];
  const evaluation = parts.filter((part) => part !== "").join(", ") || null;
  return [
    task,
    evaluation,
    model ?? (namedIn(columns, record, roles.model) || mapping.modelName || "unknown"),
  ];
}

export function evaluationOf(
  { mapping }: TableView,
  [task, evaluation, model]: EvaluationNames,
  { startedAt, spec }: Pick<TableRun, "startedAt" | "spec">,
): LogEvaluation {
  return {
    id: rootId("table", hashOf([task, evaluation, model])),
    knownBy: mapping.evaluationName === undefined ? "file" : "name",
    task,
    model,
    label: evaluation,
    showsLabel: evaluation !== null,
    startedAt,
    spec: { ...spec, mapping: givenMembers(mapping) },
  };
}

/** The scores of a record, and of those that have no value the texts. */
export interface RecordScores {
  readonly values: { readonly [key: string]: Json };
  readonly texts: { readonly [key: string]: Json };
}

/** A record as a trial. `trial` tells apart repeats of the row. */
export function trialOf(
  view: TableView,
  record: TableRecord,
  evaluation: LogEvaluation,
  trial: { readonly name: string; readonly index: number },
  { values, texts }: RecordScores,
): LogTrial {
  const { roles, columns } = view;
  const sample = rowName(columns, record, roles);
  const hasError = roles.error.some((column) => isError(record.cells[columns.indexOf(column)]));
  const error = hasError ? textsOf(columns, record, roles.error) : failureOf(view, record, values);
  return {
    evaluation,
    place: record.place,
    sample,
    trial: trial.name,
    identity: { row: sample, trial: trial.name },
    stable: stablePart(view, record, evaluation.task),
    row: rowMembers(view, record),
    rowsAgree: view.rowsAgree,
    splits: view.splits,
    ...answerOf(view, record, roles.output),
    cost: amountOf(view, record, "cost", COST),
    scores: error === null ? values : presentOnly(values),
    details: { ...membersOf(view, record, roles.metadata), ...namesOf(view, record), ...texts },
    error,
    startedAt: startOf(view, record),
    index: trial.index,
    prediction: predictionOf(view, record, evaluation.model),
  };
}

/** The answer of a record; of a chat of messages its last text, and what was said and done as steps. */
export function answerOf(
  view: TableView,
  record: TableRecord,
  columns: readonly string[],
): Pick<LogTrial, "output" | "steps"> {
  const said = valuesOf(view, record, columns) ?? null;
  const value = typeof said === "string" && /^\s*\[\s*\{/.test(said) ? parsedOr(said) : said;
  const steps = chatOfMessages(value);
  return steps === null ? { output: said } : { output: lastSaid(steps), steps };
}

const ENDS = new Set(["status", "state", "termination_reason", "failure_mode", "exit_status", "stop_reason"]);

/** What a column of states says of a trial without any verdict; null where that is no error. */
function failureOf(
  { columns }: TableView,
  record: TableRecord,
  values: RecordScores["values"],
): string | null {
  const scores = Object.values(values);
  if (scores.length === 0 || scores.some((value) => value !== null)) return null;
  const states = columns.filter((column) => ENDS.has(plainName(column)));
  const texts = states.map((column) => textOf(columns, record, column));
  return texts.find((text) => /error|exception|crash/i.test(text)) ?? null;
}

function stablePart(view: TableView, record: TableRecord, task: string): JsonObject {
  const { columns, roles } = view;
  const ofTask = task === "" ? {} : { task };
  if (roles.row.length > 0) return { ...ofTask, row: rowName(columns, record, roles) };
  const asked = roles.input.map((column) => [column, textOf(columns, record, column)] as const);
  const [first, ...others] = asked;
  if (asked.every(([, text]) => text === ""))
    throw new SourceFault("invalid", record.place, `has nothing in ${roles.input.join(", ")}`);
  // Names of columns differ from tool to tool; where there is one, its text alone is the row.
  return {
    ...ofTask,
    input: others.length === 0 && first !== undefined ? first[1] : Object.fromEntries(asked),
  };
}

function rowMembers(view: TableView, record: TableRecord): JsonObject {
  const { row, input, expected, field } = view.roles;
  const asked = valuesOf(view, record, input);
  const right = valuesOf(view, record, expected);
  return {
    ...membersOf(view, record, field),
    ...(asked === undefined ? {} : { [row.length === 0 ? "input" : inputName(input)]: asked }),
    ...(right === undefined ? {} : { expected: right }),
  };
}

const SENT: ReadonlySet<string> = new Set(["prompt", "messages"]);

/** Beside an id, what was sent to the model need not be the question of the row. */
function inputName([only = "", ...others]: readonly string[]): string {
  const plain = plainName(only);
  return others.length === 0 && SENT.has(plain) ? plain : "input";
}

/** The values of columns by their names. */
function membersOf(view: TableView, record: TableRecord, columns: readonly string[]): JsonObject {
  return Object.fromEntries(
    columns.flatMap((column) => {
      const value = valueOf(view, record, column);
      return value === undefined ? [] : [[column, value]];
    }),
  );
}

/** What names the run, where it is more than a name. */
function namesOf({ roles, columns }: TableView, record: TableRecord): JsonObject {
  const named = [...roles.model, ...roles.evaluation, ...roles.task].flatMap((column) => {
    const cell = record.cells[columns.indexOf(column)];
    return isJsonObject(cell) ? [[column, cell] as const] : [];
  });
  return Object.fromEntries(named);
}

function presentOnly(scores: { readonly [key: string]: Json }): JsonObject {
  return Object.fromEntries(Object.entries(scores).filter(([, value]) => value !== null));
}

function startOf(view: TableView, record: TableRecord): bigint | null {
  const [column] = view.roles.started;
  if (column === undefined) return null;
  const time = readMoment(valueOf(view, record, column));
  checkTime(time, placeOf(record, column));
  return time;
}

/** The number of a cell; null where it is none. Throws {@link SourceFault} where it is no such measure. */
function amountOf(view: TableView, record: TableRecord, role: Measure, bound: Bound): number | null {
  const [column] = view.roles[role];
  if (column === undefined) return null;
  const { value: read } = scoreOf(view, record, column);
  const { times, over, currency } = view.units[role];
  const value = typeof read === "number" ? (read * times) / over : read;
  checkAmount(value, bound, placeOf(record, column));
  return typeof value === "number" && currency === null ? value : null;
}

function placeOf({ place }: TableRecord, column: string): string {
  return `${place}, column ${JSON.stringify(column)}`;
}

function predictionOf(view: TableView, record: TableRecord, model: string): LogPrediction {
  const total = amountOf(view, record, "tokens", TOKENS);
  return {
    seconds: amountOf(view, record, "latency", LATENCY),
    usage: total === null ? {} : { [model]: { total_tokens: total } },
  };
}
