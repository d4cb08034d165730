import type { Readable } from "node:stream";
import { type Data, DataType, type Field, Vector } from "apache-arrow";
import { CLICKHOUSE } from "../dialect/dialect.ts";
import { loadedRelation, type LoadedRelation } from "../dialect/loaded.ts";
import { OWN_PROJECT, recordRelations, recordTables } from "../dialect/record-relations.ts";
import { preamble, type Subject, withTables, wordsOf } from "../dialect/relations.ts";
import { hashKey } from "../../model/digest.ts";
import type { Turns } from "../../model/turns.ts";
import type { Adding } from "../../store/query.ts";
import type { CallReader, Session, StoredCall } from "../../store/session.ts";
import { type Sql, type SqlStatement, type SqlValue, statement } from "../../store/sql.ts";
import type { ClickHouseDatabase } from "../open/open-database.ts";
import { chunkReader } from "../../arrow/ipc/byte-reader.ts";
import { readBatches } from "../../arrow/ipc/batches.ts";
import { streamParts } from "../../arrow/ipc/messages.ts";
import { readText } from "../../ingest/record/record-text.ts";
import type { Conventions } from "../../model/conventions.ts";
import type { ClickHouse } from "../server/client.ts";
import type { StoredCall as MergedCall } from "../lookup/call-histories.ts";
import { createVisibleCalls } from "../lookup/visible-calls.ts";
import type { Visible } from "../lookup/visible.ts";
import { columnStream } from "./column-stream.ts";
import { type Naming, readNaming, subjectOf } from "./naming.ts";
import type { ReadState, State } from "./state.ts";

/** What a session of reading needs. */
export interface Reading {
  readonly database: ClickHouseDatabase;
  readonly readState: ReadState;
  readonly turns: Turns;
  /** What stands for the keys of a project in an epoch, from memory where it is there. */
  readonly naming: (projectId: string, epoch: number, read: () => Promise<Naming>) => Promise<Naming>;
  readonly signal: AbortSignal | undefined;
}

/** What goes with a statement. */
interface Sending {
  readonly settings?: Readonly<Record<string, string>>;
  readonly adding?: Adding | undefined;
}

const ALL = { evaluations: new Map<bigint, number>(), paths: [], hasEnded: true };

/** A session that only reads, of the loads that are visible when it is opened. */
export async function openSession(reading: Reading): Promise<Session> {
  const { client, schema, spread } = reading.database;
  const state = await reading.readState();
  const { visible, named, epoch } = state;
  let subject: Subject = { schema, spread, projectKey: 0n, visible: named, ...ALL };
  let ownProject: string | null = null;
  const loads = new Map<string, LoadedRelation>();
  const streamOf = async ({ sql, params }: SqlStatement, { settings = {}, adding }: Sending) => {
    const bound = Object.fromEntries(params.map(({ value }, i) => [`p${i + 1}`, value]));
    const loaded = [...loads.values()].filter(({ name }) => sql.includes(name));
    const text = whole(sql, adding, subject, loaded, ownProject !== null);
    const own = ownProject === null ? {} : { [OWN_PROJECT]: ownProject };
    await client.catchUp(recordTables(text, schema));
    return client.arrow(text, Object.assign(bound, own, ...loaded.map(({ lists }) => lists)), {
      settings: { ...QUERY_SETTINGS, ...OWN_PLACES, ...settings },
      signal: reading.signal,
    });
  };
  const rows = async (query: Sql, adding?: Adding) =>
    arrowRecords(await streamOf(statement(query, CLICKHOUSE), { adding }), reading.turns, reading.signal);
  const session: Session = {
    dialect: CLICKHOUSE,
    epoch,
    turns: reading.turns,
    signal: reading.signal,
    about: async (projectId, evaluationIds) => {
      subject = await subjectAbout(reading, state, projectId, evaluationIds);
      ownProject = projectId;
    },
    calls: createCallReader(client, reading.database.conventions, visible),
    all: async (query) => (await rows(query.sql, query.adding)).map(query.read),
    rows: (query) => rows(query),
    vectors: async (query) =>
      columnStream(await streamOf(query, { settings: COLUMN_SETTINGS }), reading.turns, reading.signal),
    inSecondSession: (work) => work(session),
    load: (name, columns) => void loads.set(name, loadedRelation(name, columns)),
  };
  return session;
}

/** Statements say themselves what is read on which server. */
const OWN_PLACES = { distributed_product_mode: "deny", prefer_global_in_and_join: 0 } as const;

/** A piece of a result is in memory as a whole, here and on the server: with long texts it should have few records. */
const COLUMN_SETTINGS = { max_block_size: "8192" } as const;

/** What statements about a project and its evaluations stand for; about all projects where it is null. */
async function subjectAbout(
  { database, naming, signal }: Reading,
  { visible, named, epoch }: State,
  projectId: string | null,
  evaluationIds: readonly string[],
): Promise<Subject> {
  const { client, schema, spread } = database;
  if (projectId === null) return { schema, spread, projectKey: null, visible: named, ...ALL };
  const projectKey = hashKey(projectId, "");
  const known = await naming(projectId, epoch, () => readNaming(client, projectKey, visible, signal));
  const evaluations = evaluationIds.map((id) => hashKey(projectId, id));
  return { schema, spread, projectKey, visible: named, ...subjectOf(known, evaluations) };
}

/**
 * What is sent for a statement: to each shard where its records add up, else with the functions and relations that it
 * uses.
 */
function whole(
  text: string,
  adding: Adding | undefined,
  subject: Subject,
  loaded: readonly LoadedRelation[],
  isOwn: boolean,
): string {
  const sums = adding === undefined || loaded.length > 0 ? null : addedUp(text, adding, subject);
  return sums ?? preceded(text, subject, loaded, isOwn);
}

/** A statement with the functions and relations that it uses. */
function preceded(text: string, subject: Subject, loaded: readonly LoadedRelation[], isOwn: boolean): string {
  const records = recordRelations(text, subject.schema, isOwn).map(
    ([name, relation]) => `${name} AS (${relation})`,
  );
  const others = [...records, ...loaded.map((one) => `${one.name} AS (${one.text})`)];
  return withTables(text, [...preamble([text, ...others].join("\n"), subject), ...others]);
}

/** Settings on which statements depend. */
export const QUERY_SETTINGS = {
  join_use_nulls: 1,
  enable_materialized_cte: 1,
  joined_subquery_requires_alias: 0,
  union_default_mode: "DISTINCT",
  intersect_default_mode: "DISTINCT",
  cast_keep_nullable: 1,
  data_type_default_nullable: 1,
  enable_named_columns_in_function_tuple: 1,
  prefer_column_name_to_alias: 1,
  output_format_json_escape_forward_slashes: 0,
  // Compiled, bitShiftRight of a negative Int128 fills with zeros: -1 becomes 2^68 - 1 when shifted by 60.
  compile_expressions: 0,
} as const;

/** Relations that a shard has not, or not all records of. */
const ELSEWHERE = ["projects", "evaluations", "score_paths", "calls"];

/**
 * A statement that each shard answers about its own rows, with its records added up; null where it reads what shards do
 * not have, or tables are on one server.
 */
function addedUp(text: string, { keys, sums }: Adding, subject: Subject): string | null {
  const { spread } = subject;
  if (spread === null) return null;
  const words = wordsOf(text);
  const readsOthers = ELSEWHERE.some((name) => words.has(name));
  if (readsOthers || recordRelations(text, subject.schema, false).length > 0) return null;
  const own = withTables(text, preamble(text, { ...subject, schema: spread.parts, spread: null }));
  const columns = [...keys, ...sums.map((name) => `sum(s.${name})`)].join(", ");
  return `SELECT ${columns} FROM cluster('${spread.cluster}', view(${own})) AS s GROUP BY ${keys.join(", ")}`;
}

/** The records of an Arrow stream as arrays of values. Integers of 64 bits and more are bigints. */
async function arrowRecords(
  stream: Readable,
  turns: Turns,
  signal: AbortSignal | undefined,
): Promise<SqlValue[][]> {
  const records: SqlValue[][] = [];
  try {
    for await (const batch of readBatches(streamParts(chunkReader(stream)))) {
      const columns = batch.columns.map((data, i) => valuesOf(data, batch.fields[i]));
      for (let i = 0; i < batch.length; i++) {
        await turns.take();
        records.push(columns.map((value) => value(i)));
      }
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
  return records;
}

function valuesOf(data: Data, field: Field | undefined): (i: number) => SqlValue {
  const vector = new Vector([data]);
  return (i) => {
    const value: unknown = vector.get(i);
    if (value === null || value === undefined) return null;
    if (typeof value === "number" || typeof value === "bigint") return value;
    if (typeof value === "boolean" || typeof value === "string") return value;
    if (value instanceof Uint8Array && DataType.isFixedSizeBinary(data.type)) return wideInteger(value);
    throw new TypeError(`the column ${field?.name} has values that are no number, text or boolean`);
  };
}

/** An integer with a sign, lowest byte first. */
function wideInteger(bytes: Uint8Array): bigint {
  const unsigned = bytes.reduceRight((number, byte) => (number << 8n) | BigInt(byte), 0n);
  return BigInt.asIntN(bytes.length * 8, unsigned);
}

/** So many children of a call are read at once until one is found that is not hidden. */
const CHILDREN_AT_ONCE = 500;

/** Reads calls as they stand. */
function createCallReader(client: ClickHouse, conventions: Conventions, visible: Visible): CallReader {
  const calls = createVisibleCalls(client, conventions, visible);
  const read = async (projectId: string, keys: readonly bigint[]) =>
    (await calls.read(projectId, keys)).filter(({ hidden }) => !hidden);
  const firstChild = async (projectId: string, parentId: string): Promise<MergedCall | null> => {
    const keys = await calls.childKeys(projectId, parentId);
    for (let at = 0; at < keys.length; at += CHILDREN_AT_ONCE) {
      const children = await read(projectId, keys.slice(at, at + CHILDREN_AT_ONCE));
      const child = children.find((one) => one.parent?.id === parentId);
      if (child !== undefined) return child;
    }
    return null;
  };
  return {
    find: async (projectId, ids) => {
      const keys = ids.map((id) => hashKey(projectId, id));
      return (await read(projectId, keys)).map(asRecord);
    },
    hidden: async (projectId, ids) => {
      const found = await calls.read(
        projectId,
        ids.map((id) => hashKey(projectId, id)),
      );
      return found.filter(({ hidden }) => hidden).map(({ id }) => id);
    },
    childOfEach: async (projectId, parentIds) => {
      const found: StoredCall[] = [];
      for (const parentId of parentIds) {
        const child = await firstChild(projectId, parentId);
        if (child !== null) found.push(asRecord(child));
      }
      return found;
    },
  };
}

function asRecord({ id, text }: MergedCall): StoredCall {
  return { id, record: readText(text) };
}
