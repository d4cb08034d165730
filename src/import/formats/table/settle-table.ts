import { type TableView, textOf } from "./cells.ts";
import { EMPTY_COLUMN } from "./column-types.ts";
import {
  currencyIn,
  firstFitting,
  fitsPattern,
  flagOf,
  GUESSES,
  plainName,
  UNIQUE_ROWS,
} from "./guess-names.ts";
import type { ProfiledTable } from "./profiles/apply-profile.ts";
import { findRoles, type TableRoles } from "./roles.ts";
import { type ScoreColumn, scoreColumns, scoreNotes } from "./score-columns.ts";
import { Survey } from "./survey.ts";
import type { TableMapping } from "../../translate/table-mapping.ts";

const COLUMN_ROLES = [
  ...(["row", "input", "expected", "output", "modelColumns"] as const),
  ...(["model", "evaluation", "task", "trial", "error", "started", "latency", "tokens", "cost"] as const),
];
const GIVEN = ["match", "decimal", "records"] as const;
const NAMES = ["modelName", "evaluationName", "taskName", "scoreName"] as const;

/** The mapping that would give the same roles. */
function mappingOf(roles: TableRoles, given: TableMapping): TableMapping {
  const { metric, value, scores } = roles;
  const all: Partial<Record<keyof TableMapping, string | readonly string[] | null | undefined>> = {
    ...Object.fromEntries(COLUMN_ROLES.map((role) => [role, roles[role]])),
    ...Object.fromEntries(GIVEN.map((name) => [name, given[name]])),
    score: scores,
    ...(metric === null ? {} : { metric, value }),
    ...Object.fromEntries(NAMES.map((name) => [name, given[name]])),
  };
  return Object.fromEntries(Object.entries(all).filter(([, said]) => (said?.length ?? 0) > 0));
}

/** The roles as a sentence, and as flags. */
function describeRoles(view: TableView, profile: string | undefined, survey: Survey): string {
  const { name: table, columns, facts, roles, mapping, ofRow } = view;
  const models = survey.models.size;
  const typed = roles.scores.map((name) => `${name} (${facts[columns.indexOf(name)]?.type ?? "text"})`);
  const parts = [
    ["row", (roles.row.length > 0 ? roles.row : roles.input).join(", ")],
    [
      "model",
      roles.model === null
        ? (mapping.modelName ?? "unknown")
        : `${roles.model} (${models} model${models === 1 ? "" : "s"})`,
    ],
    ["evaluation", roles.evaluation],
    ["task", roles.task],
    ["input", roles.row.length > 0 ? roles.input.join(", ") : null],
    ["expected", roles.expected.join(", ")],
    ["scores", typed.join(", ")],
    ["scores", roles.metric === null ? null : `one a record, ${roles.value} named by ${roles.metric}`],
    [
      "score",
      roles.modelColumns.length === 0
        ? null
        : `${mapping.scoreName ?? "score"} of ${roles.modelColumns.join(", ")}`,
    ],
    ["match", roles.match === null ? null : `${roles.match.output} equals ${roles.match.expected} (boolean)`],
    ["output", roles.output.join(", ")],
    ["trial", roles.trial ?? (survey.hasRepeats ? "repeats of a row" : null)],
    ...(["error", "started", "latency", "tokens", "cost"] as const).map((role) => [role, roles[role]]),
  ].filter(([, value]) => value !== null && value !== "");
  const others = roles.metadata.filter((name) => !ofRow.has(name));
  return [
    `${table}: ${profile === undefined ? "" : `a table of ${profile}; `}${parts.map(([role, value]) => `${role} = ${value}`).join(", ")}`,
    ...(ofRow.size === 0 ? [] : [`to the row: ${[...ofRow].join(", ")}`]),
    ...(others.length === 0 ? [] : [`not guessed: ${others.join(", ")}`]),
    `as flags: ${flagsOf(mapping)}`,
  ].join("; ");
}

function flagsOf(mapping: TableMapping): string {
  return Object.entries(mapping)
    .flatMap(([role, value]: [string, string | readonly string[]]) => {
      const flag = flagOf(role as keyof TableMapping);
      if (role === "modelColumns") return [`${flag} ${quoted([value].flat().join(","))}`];
      return [value].flat().map((name) => `${flag} ${quoted(name)}`);
    })
    .join(" ");
}

function quoted(text: string): string {
  return /^[\w./:@=-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** A table whose roles are known. */
export interface SettledTable {
  readonly view: TableView;
  /** The roles as a sentence. */
  readonly text: string;
  readonly notes: readonly string[];
}

/** Reads a table for the types of its columns, and finds their roles. Throws `SourceFault`. */
export async function settleTable(table: ProfiledTable, name: string): Promise<SettledTable> {
  const { reader, given, profile } = table;
  const { columns, isText } = reader;
  const factsOf = (column: string) => facts[columns.indexOf(column)] ?? EMPTY_COLUMN;
  const named = findRoles(columns, given, {
    scoresAreNumbers: profile?.scoresAreNumbers === true,
    uniqueRow: await uniqueRow(table),
    ...(reader.unnamed === undefined ? {} : { unnamed: reader.unnamed }),
  });
  const survey = new Survey(reader, named, given);
  for await (const record of reader.records()) if (record.fault === undefined) survey.add(record);
  const facts = columns.map((_, i) => survey.counts[i]?.facts() ?? EMPTY_COLUMN);
  const roles = named.complete(facts, survey.answers);
  const isOfRow = (column: string) => survey.rows.isConstant(column) && profile?.isOfTrial?.(column) !== true;
  const ofRow = new Set(roles.metadata.filter(isOfRow));
  const mapping = mappingOf(roles, given);
  const measured = [...roles.scores, ...roles.modelColumns, ...measuresOf(roles)];
  const kept = [
    ...measured.map((column) => ({ name: column, facts: factsOf(column) })),
    ...Array.from(survey.metrics, ([metric, counts]) => ({ name: metric, facts: counts.facts() })),
  ];
  const read = scoreColumns(kept, given.decimal, reader.delimiter);
  const scores = new Map(read.map((column) => [column.name, column]));
  const view: TableView = { name, columns, facts, isText, roles, mapping, scores, ofRow };
  return {
    view,
    text: describeRoles(view, profile?.name, survey),
    notes: [...(reader.notes?.() ?? []), ...notesOf(view, survey, read)],
  };
}

/** Columns of numbers that are no scores. */
function measuresOf({ latency, tokens, cost }: TableRoles): string[] {
  return [latency, tokens, cost].flatMap((column) => column ?? []);
}

function mayBeUnique(column: string): boolean {
  const plain = plainName(column);
  return !GUESSES.expected.includes(plain) && UNIQUE_ROWS.some((pattern) => fitsPattern(plain, pattern));
}

/** A column that may name the rows, and of which each record of a run has a value of its own; null where there is none. */
async function uniqueRow({ reader, given }: ProfiledTable): Promise<string | null> {
  const { columns } = reader;
  if (given.row !== undefined || firstFitting(columns, GUESSES.row).length > 0) return null;
  const candidates = new Map(columns.filter(mayBeUnique).map((column) => [column, new Set<string>()]));
  const runs = new Set([...GUESSES.model, ...GUESSES.evaluation, ...GUESSES.trial]);
  const ofRun = columns.filter((column) => runs.has(plainName(column)));
  if (candidates.size === 0) return null;
  for await (const record of reader.records())
    for (const [column, seen] of candidates) {
      const value = textOf(columns, record, column);
      const own = JSON.stringify([...ofRun.map((one) => textOf(columns, record, one)), value]);
      if (value === "" || seen.has(own)) candidates.delete(column);
      else seen.add(own);
    }
  return candidates.keys().next().value ?? null;
}

function notesOf(view: TableView, survey: Survey, read: readonly ScoreColumn[]): string[] {
  const { roles, mapping } = view;
  const notes: string[] = [];
  if (roles.model === null && roles.modelColumns.length === 0 && mapping.modelName === undefined)
    notes.push("no column names the model; it is unknown, --model names it");
  if (survey.lacksZone) notes.push("a time without zone counts as UTC");
  if (survey.unreadTimes > 0)
    notes.push(
      `${roles.started}: ${survey.unreadTimes} records have neither an ISO 8601 time nor a number, the first at ${survey.firstUnread}; their times are unknown`,
    );
  notes.push(...survey.differences());
  for (const column of read) notes.push(...scoreNotes(column, survey.records));
  const currencies = view.scores.get(roles.cost ?? "")?.facts.currencies.keys() ?? [];
  const foreign = currencyIn(roles.cost ?? "") ?? [...currencies].find((one) => one !== "USD");
  if (foreign !== undefined)
    notes.push(`${roles.cost}: costs in ${foreign} are left out; only US dollars count`);
  return notes;
}
