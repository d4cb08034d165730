import { type TableView, textOf } from "./cells.ts";
import { nameList } from "../../../model/messages.ts";
import { type ColumnCount, type ColumnFacts, EMPTY_COLUMN } from "./column-types.ts";
import { currencyIn, firstFitting, fitsOne, plainName } from "./guess-names.ts";
import type { ProfiledTable } from "./profiles/apply-profile.ts";
import { describeRoles, mappingOf } from "./describe-roles.ts";
import { ambiguous, findRoles, noColumn, trueValues } from "./find-roles.ts";
import type { MemberTable } from "./members.ts";
import { namesOf } from "./roles.ts";
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

/** Reads a table for the types of its columns, and finds their roles. Throws `SourceFault`. */
export async function settleTable(table: MemberedTable, name: string): Promise<SettledTable> {
  const { reader, given, profile, sure, texts, opened, dimensions } = table;
  const { columns, isText } = reader;
  const truths = new Map(trueValues(given));
  const factsOf = (column: string) => facts[columns.indexOf(column)] ?? EMPTY_COLUMN;
  const named = findRoles(columns, given, {
    sure,
    texts,
    opened,
    scoresAreNumbers: profile?.scoresAreNumbers === true,
    uniqueRow: await uniqueRow(table),
    ...(reader.unnamed === undefined ? {} : { unnamed: reader.unnamed }),
  });
  const survey = new Survey(reader, named, given);
  for await (const record of reader.records()) if (record.fault === undefined) survey.add(record);
  const facts = columns.map((column, i) => withTruth(column, survey.counts[i], truths));
  const roles = named.complete(facts, survey.answers);
  const isOfRow = (column: string) => survey.rows.isConstant(column) && profile?.isOfTrial?.(column) !== true;
  const ofRow = new Set(roles.metadata.filter(isOfRow));
  const mapping = mappingOf(roles, given);
  const { score, modelColumns, latency, tokens, cost } = roles;
  const measured = [...score, ...modelColumns, ...latency, ...tokens, ...cost];
  const kept = [
    ...measured.map((column) => ({ name: column, facts: factsOf(column) })),
    ...Array.from(survey.metrics, ([metric, counts]) => ({
      name: metric,
      facts: withTruth(metric, counts, truths),
    })),
  ];
  const unknown = [...truths.keys()].find((truth) => !kept.some(({ name: one }) => one === truth));
  if (unknown !== undefined) throw noColumn("--true-value", unknown, [...columns, ...survey.metrics.keys()]);
  const read = scoreColumns(kept, given.decimal, reader.delimiter);
  const scores = new Map(read.map((column) => [column.name, column]));
  const view: TableView = { name, columns, facts, isText, roles, mapping, scores, ofRow, dimensions };
  return {
    view,
    text: describeRoles(view, profile?.name, { models: survey.models.size, hasRepeats: survey.hasRepeats }),
    notes: [...(reader.notes?.() ?? []), ...notesOf(view, survey, read)],
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

/** A column that may name the rows, and of which each record of a run has a value of its own; null where there is none. */
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
  const [cost = ""] = roles.cost;
  const currencies = view.scores.get(cost)?.facts.currencies.keys() ?? [];
  const foreign = currencyIn(cost) ?? [...currencies].find((one) => one !== "USD");
  if (foreign !== undefined) notes.push(`${cost}: costs in ${foreign} are left out; only US dollars count`);
  return notes;
}
