import { textColumns, writeRecords } from "../store/records.ts";
import type { Column, RecordStore, Session } from "../store/session.ts";
import { spelled, sql, statement, text, type SqlValue } from "../store/sql.ts";

type Signal = AbortSignal | undefined;

const VERSIONS_AT_ONCE = 100;

/** Versions of objects in their order; then, where another order was published last, in that. */
export async function copyObjects(from: RecordStore, to: RecordStore, signal: Signal): Promise<void> {
  const objects = await from.read(
    (session) =>
      session.rows(
        sql`SELECT project_id, object_id, count(*) FROM object_versions GROUP BY project_id, object_id ORDER BY project_id, object_id`,
      ),
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
  const versions = await from.read(
    (session) =>
      session.rows(sql`SELECT digest, created_at, kind, base_object_class, leaf_object_class, user_id, val
        FROM object_versions WHERE project_id = ${text(of.project_id)} AND object_id = ${text(of.object_id)}
        ORDER BY version_index LIMIT ${number(VERSIONS_AT_ONCE)} OFFSET ${number(at)}`),
    signal,
  );
  // The database numbers versions in the order of writes.
  for (const version of versions)
    await writeRecords(to, (session) => session.add("object_versions", versionColumns(of, version)), signal);
}

const TOLD = [
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
    ...TOLD.map((name, i): Column => {
      return { name, type: name === "created_at" ? "BIGINT" : "VARCHAR", values: [version[i] ?? null] };
    }),
  ];
}

async function copyOrder(from: RecordStore, to: RecordStore, of: ObjectName, signal: Signal): Promise<void> {
  const found = await from.read(
    (session) =>
      session.rows(sql`SELECT digest, version_index FROM object_versions
        WHERE project_id = ${text(of.project_id)} AND object_id = ${text(of.object_id)} ORDER BY latest_number`),
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
    const digests = await from.read(
      (session) =>
        session.rows(
          sql`SELECT ${spelled((dialect) => dialect.unnested(sql`row_digests`))} FROM row_tables WHERE ${where}`,
        ),
      signal,
    );
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
      (session) => firstBytes(session, sql`SELECT bytes FROM stored_files WHERE ${where} LIMIT 1`),
      signal,
    );
    await writeRecords(
      to,
      (session) =>
        session.add("stored_files", [...columns, { name: "bytes", type: "BLOB", values: [bytes] }]),
      signal,
    );
  }
}

async function named(from: RecordStore, table: "row_tables" | "stored_files", signal: Signal) {
  const found = await from.read(
    (session) =>
      session.rows(
        table === "row_tables"
          ? sql`SELECT project_id, digest, created_at FROM row_tables ORDER BY created_at, project_id, digest`
          : sql`SELECT project_id, digest, created_at FROM stored_files ORDER BY created_at, project_id, digest`,
      ),
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

async function firstBytes(session: Session, query: ReturnType<typeof sql>): Promise<Uint8Array> {
  const found = await session.vectors(statement(query, session.dialect));
  for await (const { columns } of found.batches) {
    const { bytes, offsets } = columns[0] ?? {};
    if (bytes != null && offsets != null) return bytes.slice(offsets[0], offsets[1]);
  }
  return new Uint8Array();
}

function number(value: number) {
  return { type: "BIGINT", value: BigInt(value) } as const;
}
