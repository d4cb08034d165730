import { type TableView, textOf } from "./cells.ts";
import { nameList } from "../../../model/messages.ts";
import { type ColumnCount, type ColumnFacts, EMPTY_COLUMN } from "./column-types.ts";
import { findFactors, isFactor, NO_FACTORS, type Factors } from "./factors.ts";
import { firstFitting, fitsOne, isRunName, plainName, unitOf, type Measure } from "./guess-names.ts";
import type { ProfiledTable } from "./profiles/apply-profile.ts";
import { describeRoles, mappingOf } from "./describe-roles.ts";
import { findRoles, type NamedRoles, type TableRoles } from "./find-roles.ts";
import { ambiguous, noColumn, trueValues } from "./given-texts.ts";
import type { MemberTable } from "./members.ts";
import { namesOf } from "./roles.ts";
import { QUESTIONS } from "../../translate/place-rows.ts";
import { listOf, type TableMapping } from "../../translate/table-mapping.ts";
import { type ScoreColumn, scoreColumns, scoreNotes } from "./score-columns.ts";
import { Survey } from "./survey.ts";

/** A table of a tool or of none, with members of objects as columns. */
export type MemberedTable = ProfiledTable & MemberTable;

/** A table whose roles are known. */
export interface SettledTable {
  readonly view: TableView;
  /** The roles as a sentence. */
  readonly text: string;
  readonly notes: readonly string[];
}

/** What was read of a table before its roles are known. */
interface Surveyed {
  readonly named: NamedRoles;
  readonly survey: Survey;
  readonly fields: readonly string[];
}

/** Reads a table for the types of its columns, and finds their roles. Throws `SourceFault`. */
export async function settleTable(table: MemberedTable): Promise<SettledTable> {
  const { reader, given, profile, dimensions } = table;
  const { columns, isText } = reader;
  const truths = new Map(trueValues(given));
  const factsOf = (column: string) => facts[columns.indexOf(column)] ?? EMPTY_COLUMN;
  const row = await uniqueRow(table);
  const weak = await weakRows(table);
  const first = await surveyed(table, row, new Set(weak));
  const own = first.survey.ownEvaluations;
  const { named, survey, fields } =
    own.length === 0 ? first : await surveyed(table, row, new Set([...weak, ...own]));
  const factors = hasFactors(survey) ? await findFactors(reader, named, named.open) : NO_FACTORS;
  const facts = columns.map((column, i) => withTruth(column, survey.counts[i], truths));
  const roles = allRoles(named.complete(facts, survey.answers), factors, fields, { survey, given, factsOf });
  factors.checkOthers(roles.metadata.filter((column) => !listOf(given.metadata).includes(column)));
  const read = readColumns(table, roles, survey, { truths, factsOf });
  const [id] = given.row === undefined ? roles.row : [];
  const view: TableView = {
    columns,
    facts,
    isText,
    roles,
    mapping: mappingOf(roles, given),
    scores: new Map(read.map((column) => [column.name, column])),
    units: unitsOf(roles, factsOf),
    rowsAgree: survey.rowsAgree,
    dimensions,
    splits: id === undefined ? undefined : { by: id, within: survey.hasTwoInputs },
  };
  const { values, hasRepeats } = factors;
  const records = { models: survey.models.size, hasRepeats, values };
  const ofRecords = own.map(
    (column) => `${column}: each record has its own, so that it names no evaluation; it stays with the trial`,
  );
  return {
    view,
    text: describeRoles(view, profile?.name, records),
    notes: [...(reader.notes?.() ?? []), ...ofRecords, ...factors.notes, ...notesOf(view, survey, read)],
  };
}

interface KnownFacts {
  /** The texts that are true, by score. */
  readonly truths: ReadonlyMap<string, string>;
  readonly factsOf: (column: string) => ColumnFacts;
}

function unitsOf(roles: TableRoles, factsOf: KnownFacts["factsOf"]): TableView["units"] {
  const unit = (role: Measure) => {
    const [column = ""] = roles[role];
    return unitOf(role, column, factsOf(column).currencies.keys());
  };
  return { latency: unit("latency"), tokens: unit("tokens"), cost: unit("cost") };
}

/** The columns of scores and other measures, and how they are read. */
function readColumns(
  { reader, given }: ProfiledTable,
  { score, modelColumns, latency, tokens, cost }: TableRoles,
  survey: Survey,
  { truths, factsOf }: KnownFacts,
): ScoreColumn[] {
  const measured = [...score, ...modelColumns, ...latency, ...tokens, ...cost];
  const kept = [
    ...measured.map((column) => ({ name: column, facts: factsOf(column) })),
    ...Array.from(survey.metrics, ([metric, counts]) => ({
      name: metric,
      facts: withTruth(metric, counts, truths),
    })),
  ];
  const unknown = [...truths.keys()].find((truth) => !kept.some(({ name }) => name === truth));
  if (unknown !== undefined)
    throw noColumn("--true-value", unknown, [...reader.columns, ...survey.metrics.keys()]);
  return scoreColumns(kept, given.decimal, reader.delimiter);
}

async function surveyed(
  { reader, given, profile, sure, texts, opened }: MemberedTable,
  row: string | null,
  withheld: ReadonlySet<string>,
): Promise<Surveyed> {
  const named = findRoles(reader.columns, given, {
    scoresAreNumbers: profile?.scoresAreNumbers === true,
    uniqueRow: row,
    withheld,
    sure,
    texts,
    opened,
    ...(reader.unnamed === undefined ? {} : { unnamed: reader.unnamed }),
  });
  const fields = [...named.field, ...named.open.filter((column) => isField(column, named.row.length > 0))];
  const factors = [...named.open.filter(isFactor), ...named.trial];
  const survey = new Survey(reader, named, given, { fields, factors });
  for await (const record of reader.records()) if (record.fault === undefined) survey.add(record);
  return { named, survey, fields };
}

const FIELDS = namesOf("names", "field");

/** Whether a column belongs to the row by its name; beside an id, what was asked does. */
function isField(column: string, isById: boolean): boolean {
  const plain = plainName(column);
  return fitsOne(plain, FIELDS) || (isById && QUESTIONS.includes(plain));
}

function hasFactors({ hasRepeats, factors }: Survey): boolean {
  return hasRepeats || factors.columns.some((column) => isFactor(column) && !factors.isConstant(column));
}

/** The roles, with those that records of one row show. */
function allRoles(
  roles: TableRoles,
  { evaluation, rater, trial }: Factors,
  fields: readonly string[],
  {
    survey,
    given,
    factsOf,
  }: Pick<Surveyed, "survey"> & {
    readonly given: TableMapping;
    readonly factsOf: (column: string) => ColumnFacts;
  },
): TableRoles {
  const isGiven = (role: "evaluation" | "rater" | "trial") => given[role] !== undefined;
  const found = {
    evaluation: isGiven("evaluation") ? [] : evaluation,
    rater: isGiven("rater") ? [] : rater,
    trial: isGiven("trial") ? [] : trial,
  };
  // A text that all records of a row share does not number its trials.
  const isTrial = (column: string) =>
    isGiven("trial") ||
    factsOf(column).type !== "text" ||
    isRunName(column) ||
    !survey.factors.isConstant(column);
  const open = [...roles.metadata, ...roles.field, ...roles.trial.filter((column) => !isTrial(column))];
  const taken = new Set([...found.evaluation, ...found.rater, ...found.trial]);
  const field = fields.filter(
    (column) => open.includes(column) && !taken.has(column) && survey.rows.isConstant(column),
  );
  return {
    ...roles,
    evaluation: [...roles.evaluation, ...found.evaluation],
    rater: [...roles.rater, ...found.rater],
    trial: [...roles.trial.filter(isTrial), ...found.trial],
    score: roles.score.filter((column) => !taken.has(column)),
    field,
    metadata: open.filter((column) => !field.includes(column) && !taken.has(column)),
  };
}

/** What is known of a score, which is one of booleans where the caller names the text that is true. */
function withTruth(
  score: string,
  counts: ColumnCount | undefined,
  truths: ReadonlyMap<string, string>,
): ColumnFacts {
  const facts = counts?.facts() ?? EMPTY_COLUMN;
  const trueValue = truths.get(score);
  if (trueValue === undefined) return facts;
  if (facts.labels?.has(trueValue) !== false) return { ...facts, type: "boolean", others: [], trueValue };
  const there = nameList([...facts.labels.keys()]);
  throw ambiguous(`--true-value: ${score} has no text ${JSON.stringify(trueValue)}; there are ${there}`);
}

function mayBeUnique(column: string): boolean {
  const plain = plainName(column);
  return fitsOne(plain, namesOf("uniqueNames", "row")) && !fitsOne(plain, namesOf("names", "expected"));
}

/**
 * A column that may name the rows, and of which each record of a run has a value of its own; null where there is none.
 */
async function uniqueRow({ reader, given }: ProfiledTable): Promise<string | null> {
  const { columns } = reader;
  if (given.row !== undefined || firstFitting(columns, namesOf("names", "row")).length > 0) return null;
  const candidates = new Map(columns.filter(mayBeUnique).map((column) => [column, new Set<string>()]));
  const runs = new Set(namesOf("names", "model", "evaluation", "trial"));
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

/** Columns that do not name the rows though they may by their names: see `weakNames`. */
async function weakRows({ reader, given }: ProfiledTable): Promise<readonly string[]> {
  const fitting = (names: readonly string[]) =>
    reader.columns.filter((column) => fitsOne(plainName(column), names));
  const weak = fitting(namesOf("weakNames", "row"));
  if (given.row !== undefined || weak.length === 0) return [];
  const ids = fitting(namesOf("names", "row"));
  const seen = new Map(ids.map((column) => [column, new Set<string>()]));
  const [repeating, lacking] = [new Set<string>(), new Set<string>()];
  for await (const record of reader.records()) {
    if (record.fault !== undefined) continue;
    for (const [column, values] of seen) {
      const value = textOf(reader.columns, record, column);
      if (value === "") lacking.add(column);
      else if (values.has(value)) repeating.add(column);
      else if (!repeating.has(column)) values.add(value);
    }
  }
  const isOther = (column: string) => ids.some((other) => other !== column && repeating.has(other));
  return weak.filter((column) => lacking.has(column) || (!repeating.has(column) && isOther(column)));
}

function notesOf(view: TableView, survey: Survey, read: readonly ScoreColumn[]): string[] {
  const { roles, mapping } = view;
  const notes: string[] = [];
  if (roles.model.length + roles.modelColumns.length === 0 && mapping.modelName === undefined)
    notes.push("no column names the model; it is unknown, --model names it");
  if (survey.lacksZone) notes.push("a time without zone counts as UTC");
  if (survey.unreadTimes > 0)
    notes.push(
      `${roles.started.join()}: ${survey.unreadTimes} records have neither an ISO 8601 time nor a number, the first at ${survey.firstUnread}; their times are unknown`,
    );
  notes.push(...survey.differences());
  for (const column of read) notes.push(...scoreNotes(column, survey.records));
  const { currency } = view.units.cost;
  if (currency !== null)
    notes.push(`${roles.cost[0]}: costs in ${currency} are left out; only US dollars count`);
  return notes;
}
