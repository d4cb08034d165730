import { isJsonObject, parseJson, writeJson, type JsonObject } from "../../model/json.ts";
import { grouped } from "../../model/grouped.ts";
import { objectAt, textAt } from "../read/members.ts";
import type { LogItem, LogRecord } from "./log-parts.ts";
import { apartFrom, noteApart, objectOf, withRow, type StoredRows } from "./place-rows.ts";
import type { RowNotes } from "./row-notes.ts";

/** A record that is a call or a dataset row already. */
export type RecordItem = Extract<LogItem, { readonly kind: "call" | "row" }>;

/** What is looked for: rows of a project, and who hears where they differ from what is stored. */
interface RecordRows {
  readonly stored: StoredRows;
  readonly projectId: string;
  readonly notes: RowNotes;
}

/** The row that a record is, or has with it. */
interface OwnRow {
  readonly item: RecordItem;
  readonly project: string;
  readonly digest: string;
  readonly val: JsonObject;
}

/** Records with the rows that are stored: these stay as they are, and what trials say otherwise stays with them. */
export async function keepRows(
  { stored, projectId, notes }: RecordRows,
  items: readonly RecordItem[],
): Promise<LogRecord[]> {
  const rows = new Map(items.flatMap((item) => ownRow(item, projectId)).map((row) => [row.item, row]));
  const values = new Map<string, ReadonlyMap<string, string>>();
  for (const [project, own] of grouped(rows.values(), (row) => row.project))
    values.set(project, await stored.rowValues([...new Set(own.map(({ digest }) => digest))], project));
  return items.map((item) => {
    const row = rows.get(item);
    const value = row && values.get(row.project)?.get(row.digest);
    const kept = row === undefined || value === undefined ? item : keptRecord(row, value, notes);
    return { record: kept.record, text: kept.text, place: item.place, kind: KINDS[item.kind] };
  });
}

const KINDS = { call: "calls", row: "rows" } as const;

function ownRow(item: RecordItem, projectId: string): OwnRow[] {
  const row = item.kind === "row" ? item.record : (item.row ?? null);
  if (row === null) return [];
  const project = textAt(row, "project_id") ?? projectId;
  return [{ item, project, digest: textAt(row, "digest") ?? "", val: objectOf(row["val"] ?? null) }];
}

function keptRecord(
  { item, project, digest, val }: OwnRow,
  value: string,
  notes: RowNotes,
): Pick<RecordItem, "record" | "text"> {
  const stored = objectOf(parseJson(value));
  const apart = apartFrom(val, stored);
  if (item.kind === "row") {
    notes.rows++;
    notes.leavesOut ||= item.row === undefined;
    noteApart(notes, digest, { apart, stored });
    return { record: item.record, text: rowText(project, digest, value) };
  }
  const { record } = item;
  const output = record["output"] ?? null;
  if (!isJsonObject(output) || Object.keys(apart).length === 0) return item;
  const details = withRow(objectAt(output, "details"), apart);
  const amended = { ...record, output: { ...output, details } };
  return { record: amended, text: writeJson(amended) };
}

/** The record of a row with a value that is JSON already. */
export function rowText(projectId: string, digest: string, val: string): string {
  return `{"project_id":${JSON.stringify(projectId)},"digest":${JSON.stringify(digest)},"val":${val}}`;
}
