import { readBytes, textColumns, writeRecords } from "../store/records.ts";
import type { Column, RecordStore } from "../store/session.ts";
import { bigint, identifier, join, spelled, sql, text, type Sql, type SqlValue } from "../store/sql.ts";

type Signal = AbortSignal | undefined;

const VERSIONS_AT_ONCE = 100;

function rowsOf(from: RecordStore, query: Sql, signal: Signal) {
  return from.read((session) => session.rows(query), signal);
}

/** Versions of objects in their order; then, where another order was published last, in that. */
export async function copyObjects(from: RecordStore, to: RecordStore, signal: Signal): Promise<void> {
  const objects = await rowsOf(
    from,
    sql`SELECT project_id, object_id, count(*) FROM object_versions GROUP BY project_id, object_id ORDER BY project_id, object_id`,
    signal,
  );
  for (const [project, object, count] of objects) {
    const of = { project_id: String(project), object_id: String(object) };
    for (let at = 0; at < Number(count); at += VERSIONS_AT_ONCE) await copyVersions(from, to, of, at, signal);
    await copyOrder(from, to, of, signal);
  }
}

interface ObjectName {
  readonly project_id: string;
  readonly object_id: string;
}

async function copyVersions(
  from: RecordStore,
  to: RecordStore,
  of: ObjectName,
  at: number,
  signal: Signal,
): Promise<void> {
  const versions = await rowsOf(
    from,
    sql`SELECT ${join(VERSION_COLUMNS.map(identifier), sql`, `)} FROM object_versions
      WHERE project_id = ${text(of.project_id)} AND object_id = ${text(of.object_id)}
      ORDER BY version_index LIMIT ${bigint(VERSIONS_AT_ONCE)} OFFSET ${bigint(at)}`,
    signal,
  );
  // The database numbers versions in the order of writes.
  for (const version of versions)
    await writeRecords(to, (session) => session.add("object_versions", versionColumns(of, version)), signal);
}

export const VERSION_COLUMNS = [
  "digest",
  "created_at",
  "kind",
  "base_object_class",
  "leaf_object_class",
  "user_id",
  "val",
] as const;

function versionColumns(of: ObjectName, version: readonly SqlValue[]): Column[] {
  return [
    ...textColumns({ ...of }),
    ...VERSION_COLUMNS.map((name, i): Column => {
      return { name, type: name === "created_at" ? "BIGINT" : "VARCHAR", values: [version[i] ?? null] };
    }),
  ];
}

async function copyOrder(from: RecordStore, to: RecordStore, of: ObjectName, signal: Signal): Promise<void> {
  const found = await rowsOf(
    from,
    sql`SELECT digest, version_index FROM object_versions
      WHERE project_id = ${text(of.project_id)} AND object_id = ${text(of.object_id)} ORDER BY latest_number`,
    signal,
  );
  if (found.every(([, index], i) => Number(index) === i)) return;
  for (const [digest] of found)
    await writeRecords(
      to,
      (session) => session.renew(textColumns({ ...of, digest: String(digest) })),
      signal,
    );
}

/** A table is a list of digests. */
export async function copyTables(from: RecordStore, to: RecordStore, signal: Signal): Promise<void> {
  const tables = await named(from, "row_tables", signal);
  for (const { columns, where } of tables) {
    const items = spelled((dialect) => dialect.unnested(sql`row_digests`));
    const digests = await rowsOf(from, sql`SELECT ${items} FROM row_tables WHERE ${where}`, signal);
    const list = JSON.stringify(digests.map(([one]) => one));
    await writeRecords(
      to,
      (session) => session.add("row_tables", [...columns, ...textColumns({ row_digests: list })]),
      signal,
    );
  }
}

/** One file at a time is in memory. */
export async function copyFiles(from: RecordStore, to: RecordStore, signal: Signal): Promise<void> {
  for (const { columns, where } of await named(from, "stored_files", signal)) {
    const bytes = await from.read(
      (session) => readBytes(session, sql`SELECT bytes FROM stored_files WHERE ${where} LIMIT 1`),
      signal,
    );
    await writeRecords(
      to,
      (session) =>
        session.add("stored_files", [
          ...columns,
          { name: "bytes", type: "BLOB", values: [bytes ?? new Uint8Array()] },
        ]),
      signal,
    );
  }
}

async function named(from: RecordStore, table: "row_tables" | "stored_files", signal: Signal) {
  const found = await rowsOf(
    from,
    sql`SELECT project_id, digest, created_at FROM ${identifier(table)} ORDER BY created_at, project_id, digest`,
    signal,
  );
  return found.map(([project, digest, createdAt]) => ({
    columns: [
      ...textColumns({ project_id: String(project), digest: String(digest) }),
      { name: "created_at", type: "BIGINT", values: [createdAt ?? null] } as const,
    ],
    where: sql`project_id = ${text(String(project))} AND digest = ${text(String(digest))}`,
  }));
}
