import type { TableMapping } from "../../translate/table-mapping.ts";
import type { TableView } from "./cells.ts";
import { EMPTY_COLUMN, type ColumnCounts, type ColumnFacts } from "./column-types.ts";
import { describeRoles, mappingOf } from "./describe-roles.ts";
import { findRoles } from "./roles.ts";
import { Survey } from "./survey.ts";
import type { ProfiledTable } from "./profiles/apply-profile.ts";

/** A table whose roles are known. */
export interface SettledTable {
  readonly view: TableView;
  readonly mapping: TableMapping;
  /** The roles as a sentence. */
  readonly text: string;
  readonly notes: readonly string[];
}

/** Reads a table for the types of its columns, and finds their roles. Throws `SourceFault`. */
export async function settleTable(
  { reader, given, profile }: ProfiledTable,
  name: string,
): Promise<SettledTable> {
  const { columns, isText } = reader;
  const named = findRoles(columns, given, profile?.scoresAreNumbers);
  const survey = new Survey(reader, named, given);
  for await (const record of reader.records()) if (record.fault === undefined) survey.add(record);
  const facts = survey.counts.facts(columns.length);
  const roles = named.complete(facts);
  const isOfRow = (column: string) => survey.rows.isConstant(column) && profile?.isOfTrial?.(column) !== true;
  const ofRow = new Set(roles.metadata.filter(isOfRow));
  const mapping = mappingOf(roles, given);
  const metrics = new Map(Array.from(survey.metrics, ([metric, counts]) => [metric, oneColumn(counts)]));
  const view: TableView = { name, columns, facts, isText, roles, mapping, metrics, ofRow };
  const summary = {
    name,
    profile: profile?.name ?? null,
    columns,
    facts,
    models: survey.models.size,
    hasRepeats: survey.hasRepeats,
    ofRow: [...ofRow],
  };
  return {
    view,
    mapping,
    text: describeRoles(roles, mapping, summary),
    notes: [...(reader.notes?.() ?? []), ...notesOf(view, survey)],
  };
}

function oneColumn(counts: ColumnCounts): ColumnFacts {
  return counts.facts(1)[0] ?? EMPTY_COLUMN;
}

function notesOf(view: TableView, survey: Survey): string[] {
  const { roles, columns, facts, mapping } = view;
  const notes: string[] = [];
  if (roles.model === null && roles.modelColumns.length === 0 && mapping.modelName === undefined)
    notes.push("no column names the model; it is unknown, --model names it");
  if (roles.started === null) notes.push("the table has no times; trials count as of 1970");
  if (survey.lacksZone) notes.push("a time without zone counts as UTC");
  notes.push(...measureNotes(view, survey));
  for (const column of roles.scores) {
    const { type, notAvailable, texts, firstText } = facts[columns.indexOf(column)] ?? EMPTY_COLUMN;
    if (notAvailable > 0) notes.push(`${column}: ${notAvailable} cells such as NA count as empty`);
    if (type === "text" && texts > 0)
      notes.push(`${column}: ${texts} records have a text, the first at ${firstText}; texts stay texts`);
  }
  return notes;
}

/** Times, latencies, tokens and costs that cannot be read. */
function measureNotes({ roles, columns, facts, isText }: TableView, survey: Survey): string[] {
  const { unreadTimes, firstUnread } = survey;
  const notes =
    unreadTimes === 0
      ? []
      : [
          `${roles.started}: ${unreadTimes} records have neither an ISO 8601 time nor a number, the first at ${firstUnread}; their times are unknown`,
        ];
  for (const column of [roles.latency, roles.tokens, roles.cost]) {
    const { type, texts, firstText } = facts[columns.indexOf(column ?? "")] ?? EMPTY_COLUMN;
    const outcome = isText ? "the column is not used" : "they count as empty";
    if (type === "text" && texts > 0)
      notes.push(`${column}: ${texts} records have a text, the first at ${firstText}; ${outcome}`);
  }
  return notes;
}
