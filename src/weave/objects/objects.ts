import { Buffer } from "node:buffer";
import type { z } from "zod";
import { isJsonObject, writeJson, writeLongJson } from "../../model/json.ts";
import { textAt } from "../../model/member-texts.ts";
import { formatTimestamp } from "../../model/timestamp.ts";
import { createRecordGroup, now } from "../../store/records.ts";
import type { RecordStore, Session } from "../../store/session.ts";
import { bigint, EMPTY, join, sql, type Sql } from "../../store/sql.ts";
import { authorize, checkDigest, notFound, readRequest, schemaFault } from "../request/read-request.ts";
import type { WeaveCaller } from "../request/seam.ts";
import { SENT } from "../values/canonical.ts";
import { longValueDigest } from "../values/digests.ts";
import { writeListAnswer } from "../request/long-answers.ts";
import { createObjectRequest, queryObjectsRequest, readObjectRequest } from "./requests.ts";
import {
  findVersion,
  isAmongTexts,
  publishAll,
  selectVersions,
  versionValues,
  type NewVersion,
  type ObjectVersion,
} from "./versions.ts";

/** Objects with versions: models, scorers, datasets, ops. Requests and answers are JSON texts. */
export interface WeaveObjects {
  /** Stores a version of an object; the same value again is no new version. */
  readonly createObject: (request: string, caller: WeaveCaller) => Promise<string>;
  /** One version of an object. Rejects with `not_found`. */
  readonly readObject: (request: string, caller: WeaveCaller) => Promise<string>;
  /** The versions of the objects of a project that a filter selects, in pieces of JSON text, made as they are read. */
  readonly queryObjects: (request: string, caller: WeaveCaller) => AsyncGenerator<string, void, undefined>;
}

export function createObjects(store: RecordStore): WeaveObjects {
  const commit = createRecordGroup(
    store,
    ({ val }: NewVersion) => Buffer.byteLength(val),
    async (session, versions) => {
      await publishAll(session, versions);
      return versions;
    },
  );
  return {
    createObject: async (request, caller) => {
      const version = await versionOf(request, caller);
      await commit(version, { signal: caller.signal });
      return writeJson({ digest: version.digest, object_id: version.object_id });
    },
    readObject: async (request, caller) => {
      const { project_id, object_id, digest, metadata_only } = await readRequest(
        request,
        readObjectRequest,
        caller,
      );
      authorize(caller, project_id);
      const withValues = metadata_only !== true;
      const found = await store.read(
        (session) => findVersion(session, project_id, object_id, digest, withValues),
        caller.signal,
      );
      if (found === undefined) throw notFound(`object ${JSON.stringify(`${object_id}:${digest}`)}`);
      return `{"obj":${writeVersion(found)}}`;
    },
    queryObjects: async function* (request, caller) {
      const asked = await readRequest(request, queryObjectsRequest, caller);
      authorize(caller, asked.project_id);
      yield* writeVersions(store, asked, caller.signal);
    },
  };
}

type ObjectQuery = z.output<typeof queryObjectsRequest>;

async function* writeVersions(
  store: RecordStore,
  asked: ObjectQuery,
  signal: AbortSignal | undefined,
): AsyncGenerator<string, void, undefined> {
  const { project_id, filter, metadata_only } = asked;
  const isNone = (filter?.tags ?? null) !== null || (filter?.aliases ?? null) !== null;
  const versions = isNone
    ? []
    : await store.read((session) => session.all(versionsOf(session, asked)), signal);
  const texts = async function* () {
    if (metadata_only === true) return yield* versions.map((one) => writeVersion({ ...one, val: null }));
    for await (const [one, val = null] of versionValues(store, project_id, versions, signal))
      yield writeVersion({ ...one, val });
  };
  yield* writeListAnswer("objs", texts());
}

async function versionOf(request: string, caller: WeaveCaller): Promise<NewVersion> {
  const { obj } = await readRequest(request, createObjectRequest, caller);
  if (!Object.hasOwn(obj, "val")) throw schemaFault(["obj", "val"], "is required");
  authorize(caller, obj.project_id);
  const val = await textAt(request, "obj", "val");
  const digest = await longValueDigest(val);
  checkDigest(obj.expected_digest, digest);
  const { kind, base, leaf } = classesOf(obj.val);
  return {
    project_id: obj.project_id,
    object_id: obj.object_id,
    digest,
    created_at: now(),
    kind,
    base_object_class: base,
    leaf_object_class: leaf,
    user_id: caller.userId,
    val: await writeLongJson(val, SENT),
  };
}

/** Without their values. */
function versionsOf(session: Session, { project_id, filter, sort_by: sortBy, limit, offset }: ObjectQuery) {
  const latest = filter?.latest_only === true ? sql` WHERE is_latest` : sql` WHERE true`;
  const keys = (sortBy ?? []).map(({ field, direction }) => {
    const name = field === "object_id" ? sql`object_id` : sql`created_at`;
    return direction === "desc" ? sql`${name} DESC` : name;
  });
  const page = sql`${limit == null ? EMPTY : sql` LIMIT ${bigint(limit)}`}${
    offset == null ? EMPTY : sql` OFFSET ${bigint(offset)}`
  }`;
  return selectVersions(project_id, {
    where: amongAll(session, sql`object_id`, filter, "object_ids"),
    qualify: sql`${latest}${conditions(session, filter)}`,
    order: sql`${join([...keys, sql`object_id`, sql`version_index`], sql`, `)}${page}`,
    withValues: false,
  });
}

type Filter = ObjectQuery["filter"];

function conditions(session: Session, filter: Filter): Sql {
  const { is_op: isOp, exclude_base_object_classes: excluded } = filter ?? {};
  const base = sql`base_object_class`;
  return join(
    [
      isOp == null ? EMPTY : isOp ? sql` AND kind = 'op'` : sql` AND kind <> 'op'`,
      amongAll(session, base, filter, "base_object_classes"),
      amongAll(session, sql`leaf_object_class`, filter, "leaf_object_classes"),
      excluded == null
        ? EMPTY
        : sql` AND NOT coalesce(${isAmongTexts(session, "weave_excluded", base, excluded)}, false)`,
    ],
    EMPTY,
  );
}

function amongAll(
  session: Session,
  value: Sql,
  filter: Filter,
  name: "object_ids" | "base_object_classes" | "leaf_object_classes",
): Sql {
  const texts = filter?.[name];
  return texts == null ? EMPTY : sql` AND ${isAmongTexts(session, `weave_${name}`, value, texts)}`;
}

function writeVersion({ val, created_at, is_latest, user_id, ...version }: ObjectVersion): string {
  const members = {
    ...version,
    created_at: formatTimestamp(created_at),
    is_latest: is_latest ? 1 : 0,
    wb_user_id: user_id,
    deleted_at: null,
    tags: null,
    aliases: null,
    size_bytes: null,
  };
  return `${writeJson(members).slice(0, -1)},"val":${val ?? "{}"}}`;
}

/** What an object is, told from its value. */
interface ObjectClasses {
  readonly kind: "op" | "object";
  readonly base: string | null;
  readonly leaf: string | null;
}

const ROOTS: ReadonlySet<unknown> = new Set(["Object", "BaseObject"]);

function classesOf(val: unknown): ObjectClasses {
  const none = { kind: "object", base: null, leaf: null } as const;
  if (!isJsonObject(val)) return none;
  const type = val["weave_type"];
  if (val["_type"] === "CustomWeaveType" && isJsonObject(type) && type["type"] === "Op")
    return { ...none, kind: "op" };
  const { _bases: bases, _class_name: name } = val;
  if (!Array.isArray(bases) || typeof name !== "string") return none;
  if (bases.at(-1) !== "BaseModel" || !ROOTS.has(bases.at(-2))) return none;
  const base: unknown = bases.length === 2 ? name : bases.at(-3);
  return { kind: "object", base: typeof base === "string" ? base : null, leaf: name };
}
