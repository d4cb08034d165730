import { randomUUID } from "node:crypto";
import { isSet } from "../../arrow/bits.ts";
import type { ColumnBatch, ColumnStream, ColumnType, ColumnValues } from "../../store/columns.ts";
import { SCRATCH } from "../../store/scratch.ts";
import type { Column, FileSession } from "../../store/session.ts";
import { identifier, join, sql, type Sql, type SqlType } from "../../store/sql.ts";

/** Copies a result into a table of `SCRATCH`, batch by batch, for as long as `work` needs it. */
export async function withCopy<T>(
  session: FileSession,
  { fields, batches }: ColumnStream,
  work: (copy: Sql) => Promise<T>,
): Promise<T> {
  const copy = sql`${identifier(SCRATCH)}.main.${identifier(`copy_${randomUUID()}`)}`;
  const columns = fields.map(({ name, type }) => ({ name, type: sqlTypeOf(type) }));
  const declared = columns.map(({ name, type }) => sql`${identifier(name)} ${{ parts: [type], holes: [] }}`);
  await session.run(sql`CREATE TABLE ${copy} (${join(declared, sql`, `)})`);
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

function loadable(columns: readonly Pick<Column, "name" | "type">[], batch: ColumnBatch): Column[] {
  return columns.map(({ name, type }, i) => {
    const values = batch.columns[i];
    if (values === undefined) throw new TypeError(`a batch without the column ${name}`);
    const { validity, length } = values;
    const read = readerOf(type, values);
    const valueAt = (at: number) => (validity === null || isSet(validity, at) ? read(at) : null);
    return { name, type, values: Array.from({ length }, (_, at) => valueAt(at)) };
  });
}

function readerOf(
  type: SqlType,
  { bytes, offsets }: ColumnValues,
): (at: number) => number | boolean | Uint8Array {
  const all = bytes ?? new Uint8Array(0);
  const view = new DataView(all.buffer, all.byteOffset, all.byteLength);
  if (type === "VARCHAR") return (at) => all.subarray(offsets?.[at] ?? 0, offsets?.[at + 1] ?? 0);
  if (type === "BOOLEAN") return (at) => isSet(all, at);
  if (type === "DOUBLE") return (at) => view.getFloat64(at * 8, true);
  return (at) => view.getInt32(at * 4, true);
}
