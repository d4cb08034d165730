import { randomUUID } from "node:crypto";
import { joinBytes, textPieces } from "../../model/long-texts.ts";
import { isLongText, mapInSlices } from "../../model/turns.ts";
import { identifier, join, sql, type Sql, type SqlType, text } from "../../store/sql.ts";
import type {
  Column,
  CopyResult,
  FileSession,
  FileStore,
  PackedColumn,
  RecordSession,
  RecordTable,
  Write,
  Writing,
} from "../../store/session.ts";
import type { ColumnBatch, ColumnStream, ColumnType } from "../../store/columns.ts";
import { SCRATCH } from "../../store/query.ts";

/** Columns whose values follow from what is stored: the number of an event, the place of a version of an object. */
const NUMBERS: { readonly [Table in RecordTable]?: Sql } = {
  training_events: sql`, (SELECT coalesce(max(number), 0) + 1 FROM training_events AS o WHERE o.job_id = n.job_id) AS number`,
  object_versions: sql`, (SELECT count(*) FROM object_versions AS o
      WHERE o.project_id = n.project_id AND o.object_id = n.object_id) AS version_index,
    (SELECT coalesce(max(latest_number), -1) + 1 FROM object_versions AS o
      WHERE o.project_id = n.project_id AND o.object_id = n.object_id) AS latest_number`,
};

/** Columns of other databases, which have no transactions. */
const UNUSED: ReadonlySet<string> = new Set(["keyed"]);

/** Writes records beside evaluations, each turn in one transaction. */
export function recordsIn({ closing, inTurn }: Writing<FileSession>): Writing<RecordSession> {
  return {
    closing,
    inTurn: (turn) =>
      inTurn((write) => {
        const writeRecords: Write<RecordSession> = (work, signal) =>
          write((session) => work(recordSession(session)), signal);
        return turn(writeRecords);
      }),
  };
}

function recordSession(session: FileSession): RecordSession {
  const add = (table: RecordTable, columns: readonly Column[]) => insert(session, table, columns);
  return {
    ...session,
    add,
    claim: add,
    renew: async (version) => {
      await session.run(sql`UPDATE object_versions SET latest_number = (SELECT max(latest_number) + 1 FROM object_versions AS o, ${source(session, version)} AS n
          WHERE o.project_id = n.project_id AND o.object_id = n.object_id)
        WHERE (project_id, object_id, digest) IN (SELECT (project_id, object_id, digest) FROM ${source(session, version)})`);
    },
    remove: (table, projectId, where) =>
      erase(session, table, sql`project_id = ${text(projectId)} AND ${where}`),
    erase: (table, where) => erase(session, table, where),
  };
}

async function erase(session: FileSession, table: RecordTable, where: Sql): Promise<number> {
  const from = sql` FROM ${identifier(table)} WHERE ${where}`;
  const [counted] = await session.rows(sql`SELECT count(*)${from}`);
  await session.run(sql`DELETE${from}`);
  return Number(counted?.[0] ?? 0);
}

async function insert(session: FileSession, table: RecordTable, columns: readonly Column[]): Promise<void> {
  const given = columns.filter(({ name }) => !UNUSED.has(name));
  const used = await Promise.all(given.map(encoded));
  const long = used.filter((column, at) => column !== given[at]).map(({ name }) => identifier(name));
  const digests = sql` REPLACE (from_json(row_digests, '["VARCHAR"]') AS row_digests)`;
  const all = table === "row_tables" ? sql`*${digests}` : sql`*`;
  await session.run(sql`INSERT INTO ${identifier(table)} BY NAME
    SELECT ${all}${NUMBERS[table] ?? sql``} FROM ${source(session, used, long)} AS n`);
}

/**
 * A long text as bytes, which a statement decodes: to bind it would encode it at once, and the client reads each byte
 * of a text.
 */
async function encoded(column: Column): Promise<Column> {
  const value = column.values[0];
  if (column.values.length !== 1 || typeof value !== "string" || !isLongText(value)) return column;
  const pieces = await mapInSlices(textPieces(value), (piece) => Buffer.from(piece));
  return { ...column, type: "BLOB", values: [await joinBytes(pieces)] };
}

/**
 * Loaded columns are dearer than the values of one record in the statement, but these have no bytes. `long` are names
 * of texts as bytes.
 */
function source(session: FileSession, columns: readonly Column[], long: readonly Sql[] = []): Sql {
  const single = columns.flatMap(({ name, type, values }) => {
    const value = values[0];
    const isAlone = values.length === 1 && value !== undefined && !(value instanceof Uint8Array);
    return isAlone ? [sql`${{ type, value }} AS ${identifier(name)}`] : [];
  });
  if (single.length === columns.length) return sql`(SELECT ${join(single)})`;
  session.load("added", columns);
  const texts = long.map((name) => sql`decode(${name}) AS ${name}`);
  return texts.length === 0
    ? sql`loaded('added')`
    : sql`(SELECT * REPLACE (${join(texts)}) FROM loaded('added'))`;
}

/** Copies results into tables of `SCRATCH`. */
export function copyResults({ scratch }: Pick<FileStore, "scratch">): CopyResult {
  return (result, work, signal) =>
    scratch((session) => withCopy(session, result, (copy) => work(session, copy)), signal);
}

/** Batch by batch, for as long as `work` needs it. */
async function withCopy<T>(
  session: FileSession,
  { fields, batches }: ColumnStream,
  work: (copy: Sql) => Promise<T>,
): Promise<T> {
  const copy = sql`${identifier(SCRATCH)}.main.${identifier(`copy_${randomUUID()}`)}`;
  const columns = fields.map(({ name, type }) => ({ name, type: sqlTypeOf(type) }));
  const declared = columns.map(({ name, type }) => sql`${identifier(name)} ${{ parts: [type], holes: [] }}`);
  await session.run(sql`CREATE TABLE ${copy} (${join(declared)})`);
  try {
    for await (const batch of batches) {
      session.load("batch", loadable(columns, batch));
      await session.run(sql`INSERT INTO ${copy} SELECT * FROM loaded('batch')`);
    }
    return await work(copy);
  } finally {
    await session.run(sql`DROP TABLE IF EXISTS ${copy}`).catch(() => undefined);
  }
}

/** The type of a column of a table of trials. */
function sqlTypeOf(type: ColumnType): SqlType {
  if (type.kind === "text") return "VARCHAR";
  if (type.kind === "boolean") return "BOOLEAN";
  if (type.kind === "float") return "DOUBLE";
  if (type.kind === "integer" && type.bits === 32) return "INTEGER";
  throw new TypeError(`a column of ${type.kind} is not copied`);
}

/** The columns of a batch as they lie in memory, with validity in whole words of 64 bits. */
function loadable(
  columns: readonly Pick<PackedColumn, "name" | "type">[],
  batch: ColumnBatch,
): PackedColumn[] {
  return columns.map((column, i) => {
    const values = batch.columns[i];
    if (values === undefined) throw new TypeError(`a batch without the column ${column.name}`);
    const { validity: bits } = values;
    const validity = bits === null ? null : new Uint8Array(Math.ceil(bits.length / 8) * 8);
    if (bits !== null) validity?.set(bits);
    return { ...column, values: { ...values, validity } };
  });
}
