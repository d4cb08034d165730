import { textColumns } from "../../store/records.ts";
import type { Column, RecordSession, RecordStore, Session } from "../../store/session.ts";
import { column, nullable, query, select, type Query } from "../../store/query.ts";
import { EMPTY, integer, join, loaded, sql, text, type Sql } from "../../store/sql.ts";
import { readInParts } from "../request/long-answers.ts";

/** A stored version of an object. */
export interface ObjectVersion {
  readonly project_id: string;
  readonly object_id: string;
  readonly digest: string;
  readonly version_index: number;
  readonly is_latest: boolean;
  /** Microseconds since 1970. */
  readonly created_at: bigint;
  readonly kind: string;
  readonly base_object_class: string | null;
  readonly leaf_object_class: string | null;
  readonly user_id: string | null;
  /** JSON, as it was sent; null where it was not asked for. */
  readonly val: string | null;
}

/** A version that is not stored yet. */
export type NewVersion = Omit<ObjectVersion, "version_index" | "is_latest" | "val"> & {
  readonly val: string;
};

/** What is stored of an object. */
interface KnownVersions {
  readonly digests: Set<string>;
  latest: string | undefined;
}

/** Stores versions unless they are there, and makes each the latest one of its object. */
export async function publishAll(session: RecordSession, versions: readonly NewVersion[]): Promise<void> {
  const objects = new Map<string, KnownVersions>();
  for (const version of versions) {
    const object = JSON.stringify([version.project_id, version.object_id]);
    const known = objects.get(object) ?? (await readKnown(session, version));
    objects.set(object, known);
    if (known.latest === version.digest) continue;
    if (known.digests.has(version.digest)) await session.renew(nameColumns(version));
    else await session.add("object_versions", columnsOf(version));
    known.latest = version.digest;
    known.digests.add(version.digest);
  }
}

async function readKnown(session: Session, { project_id, object_id }: NewVersion): Promise<KnownVersions> {
  const found = await session.rows(sql`SELECT digest FROM object_versions
    WHERE project_id = ${text(project_id)} AND object_id = ${text(object_id)} ORDER BY latest_number DESC`);
  const digests = found.map(([digest]) => String(digest));
  return { digests: new Set(digests), latest: digests[0] };
}

function nameColumns({ project_id, object_id, digest }: NewVersion): Column[] {
  return textColumns({ project_id, object_id, digest });
}

function columnsOf(version: NewVersion): Column[] {
  const { kind, base_object_class, leaf_object_class, user_id, val, created_at } = version;
  return [
    ...nameColumns(version),
    ...textColumns({ kind, base_object_class, leaf_object_class, user_id, val }),
    { name: "created_at", type: "BIGINT", values: [created_at] },
  ];
}

/** Which versions of the objects of a project are wanted. */
interface VersionSelection {
  readonly where: Sql;
  /** Conditions on `is_latest`. */
  readonly qualify?: Sql;
  readonly order?: Sql;
  readonly withValues: boolean;
}

/** The versions that are selected, by object and version unless another order is given. */
export function selectVersions(
  projectId: string,
  { where, qualify = EMPTY, order = sql`object_id, version_index`, withValues }: VersionSelection,
): Query<ObjectVersion> {
  const value = withValues ? sql`val` : sql`NULL::VARCHAR`;
  const latest = sql`latest_number = max(latest_number) OVER (PARTITION BY object_id)`;
  return query(
    "object versions",
    select<ObjectVersion>(
      {
        project_id: column.text(sql`project_id`),
        object_id: column.text(sql`object_id`),
        digest: column.text(sql`digest`),
        version_index: column.integer(sql`version_index`),
        is_latest: column.boolean(sql`is_latest`),
        created_at: column.bigint(sql`created_at`),
        kind: column.text(sql`kind`),
        base_object_class: nullable(column.text(sql`base_object_class`)),
        leaf_object_class: nullable(column.text(sql`leaf_object_class`)),
        user_id: nullable(column.text(sql`user_id`)),
        val: nullable(column.text(value)),
      },
      sql` FROM (SELECT *, ${latest} AS is_latest FROM object_versions
        WHERE project_id = ${text(projectId)}${where})${qualify} ORDER BY ${order}`,
    ),
  );
}

/** Values are read in parts of at most this many, each on a snapshot of its own: a version never changes. */
const PART = 50;

/** Versions of a project with their values. */
export function versionValues(
  store: RecordStore,
  projectId: string,
  versions: readonly ObjectVersion[],
  signal: AbortSignal | undefined,
) {
  return readInParts(versions, {
    most: PART,
    keyOf: versionName,
    read: (part) => store.read((session) => readValues(session, projectId, part), signal),
    signal,
  });
}

async function readValues(
  session: Session,
  projectId: string,
  versions: readonly ObjectVersion[],
): Promise<Map<string, string>> {
  session.load("weave_versions", [
    { name: "object_id", type: "VARCHAR", values: versions.map((one) => one.object_id) },
    { name: "digest", type: "VARCHAR", values: versions.map((one) => one.digest) },
  ]);
  const found = await session.rows(sql`SELECT object_id, digest, val FROM object_versions
    WHERE project_id = ${text(projectId)}
      AND (object_id, digest) IN (SELECT (object_id, digest) FROM ${loaded("weave_versions")})`);
  return new Map(
    found.map(([id, digest, val]) => [
      versionName({ object_id: String(id), digest: String(digest) }),
      String(val),
    ]),
  );
}

function versionName({ object_id, digest }: Pick<ObjectVersion, "object_id" | "digest">): string {
  return `${object_id}:${digest}`;
}

/** The version that a digest, `latest` or `v<number>` names; undefined where there is none. */
export async function findVersion(
  session: Session,
  projectId: string,
  objectId: string,
  version: string,
  withValues = true,
): Promise<ObjectVersion | undefined> {
  const number = /^v(\d{1,9})$/.exec(version)?.[1];
  const qualify =
    version === "latest"
      ? sql` WHERE is_latest`
      : number === undefined
        ? sql` WHERE digest = ${text(version)}`
        : sql` WHERE version_index = ${integer(Number(number))}`;
  const where = sql` AND object_id = ${text(objectId)}`;
  const [found] = await session.all(selectVersions(projectId, { where, qualify, withValues }));
  return found;
}

/** So many texts are written into a statement; more are loaded beside it. */
const FEW_TEXTS = 100;

/** A condition that a value is one of these texts; of many, each list of a session needs a name of its own. */
export function isAmongTexts(session: Session, name: string, value: Sql, texts: readonly string[]): Sql {
  if (texts.length === 0) return sql`false`;
  if (texts.length <= FEW_TEXTS)
    return sql`${value} IN (${join(
      texts.map((one) => sql`${text(one)}`),
      sql`, `,
    )})`;
  session.load(name, [{ name: "one", type: "VARCHAR", values: [...new Set(texts)] }]);
  return sql`${value} IN (SELECT one FROM ${loaded(name)})`;
}
