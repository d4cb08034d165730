import { randomUUID } from "node:crypto";
import type { ColumnBatch, ColumnStream, ColumnType } from "../../store/columns.ts";
import { SCRATCH } from "../../store/scratch.ts";
import type { FileSession, PackedColumn } from "../../store/session.ts";
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
