import type { Session } from "../../store/session.ts";
import { column, nullable, query, select, type Query } from "../../store/query.ts";
import { bigint, EMPTY, integer, join, sql, text, type Sql } from "../../store/sql.ts";

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

/** Stores a version unless it is there, and makes it the latest one. */
export async function publish(session: Session, version: NewVersion): Promise<void> {
  const known = await session.rows(sql`SELECT digest, latest_number FROM object_versions
    WHERE project_id = ${text(version.project_id)} AND object_id = ${text(version.object_id)}`);
  const newest = known.reduce((most, [, number]) => Math.max(most, Number(number)), -1);
  const same = known.find(([digest]) => digest === version.digest);
  if (same === undefined) return insert(session, version, known.length, newest + 1);
  if (Number(same[1]) === newest) return;
  await session.run(sql`UPDATE object_versions SET latest_number = ${bigint(newest + 1)}
    WHERE project_id = ${text(version.project_id)} AND object_id = ${text(version.object_id)}
      AND digest = ${text(version.digest)}`);
}

function insert(session: Session, version: NewVersion, index: number, latest: number): Promise<void> {
  return session.run(sql`INSERT INTO object_versions VALUES (${text(version.project_id)},
    ${text(version.object_id)}, ${text(version.digest)}, ${integer(index)}, ${bigint(latest)},
    ${bigint(version.created_at)}, ${text(version.kind)}, ${text(version.base_object_class)},
    ${text(version.leaf_object_class)}, ${text(version.user_id)}, ${text(version.val)})`);
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

/** The values of versions of a project, by {@link versionName}. */
export async function readValues(
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
      AND (object_id, digest) IN (SELECT (object_id, digest) FROM loaded('weave_versions'))`);
  return new Map(
    found.map(([id, digest, val]) => [
      versionName({ object_id: String(id), digest: String(digest) }),
      String(val),
    ]),
  );
}

export function versionName({ object_id, digest }: Pick<ObjectVersion, "object_id" | "digest">): string {
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

/** A condition that a value is one of these texts. */
export function isAmong(value: Sql, texts: readonly string[]): Sql {
  if (texts.length === 0) return sql`false`;
  return sql`${value} IN (${join(
    texts.map((one) => sql`${text(one)}`),
    sql`, `,
  )})`;
}
