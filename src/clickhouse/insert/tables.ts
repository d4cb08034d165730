import { readMigrations } from "../../store/migrations.ts";

/** The names of the tables that loads fill. */
export const TABLE_NAMES = [
  "projects",
  "fragments",
  "call_groups",
  "merged_calls",
  "call_steps",
  "evaluations",
  "score_paths",
  "trials",
  "trial_texts",
  "scores",
  "null_scores",
  "errored_trials",
  "rows",
  "row_digests",
  "gone",
] as const;

export type TableName = (typeof TABLE_NAMES)[number];

/** A column that is inserted; `type` as ClickHouse spells it. */
interface TableColumn {
  readonly name: string;
  readonly type: string;
}

const CREATED = /^CREATE TABLE IF NOT EXISTS (\w+) \(\n(.*?)^\)/gms;
const ADDED = /^ALTER TABLE (\w+) ADD COLUMN IF NOT EXISTS(.*?);$/gms;
/** Indexes and projections of a table are written in capitals. */
const COLUMN = /^ +([a-z]\w*) (\w+(?:\(\w+\))?)/gm;

/** The columns of all tables, as the schema has them. */
const COLUMNS = new Map<string, TableColumn[]>();
for (const { text } of readMigrations("sql/clickhouse/migrations"))
  for (const [, table = "", body = ""] of [...text.matchAll(CREATED), ...text.matchAll(ADDED)]) {
    const found = Array.from(body.matchAll(COLUMN), ([, name = "", type = ""]) => ({ name, type }));
    COLUMNS.set(table, [...(COLUMNS.get(table) ?? []), ...found]);
  }

/** The columns of a table in order. */
export function columnsOf(table: string): readonly TableColumn[] {
  const columns = COLUMNS.get(table);
  if (columns === undefined) throw new TypeError(`the schema has no table ${table}`);
  return columns;
}
