import { CLICKHOUSE, QUERY_SETTINGS } from "../../../compile/clickhouse/dialect.ts";
import { loadedRelation, type LoadedRelation } from "../../../compile/clickhouse/loaded.ts";
import { recordRelations } from "../../../compile/clickhouse/record-relations.ts";
import { preamble, type Subject } from "../../../compile/clickhouse/relations.ts";
import { hashKey } from "../../../model/digest.ts";
import type { Turns } from "../../../model/turns.ts";
import type { Session } from "../../../store/session.ts";
import { statement, type Sql, type SqlStatement } from "../../../store/sql.ts";
import type { ClickHouseDatabase } from "../open/open-database.ts";
import { IS_VISIBLE, readCommits, visibleValues, type Visible } from "../visible.ts";
import { columnStream } from "./column-stream.ts";
import { arrowRecords } from "./records.ts";

/** What a session of reading needs. */
export interface Reading {
  readonly database: ClickHouseDatabase;
  readonly turns: Turns;
  readonly signal: AbortSignal | undefined;
}

/** A session that only reads, of the loads that are visible when it is opened. */
export async function openSession(reading: Reading): Promise<Session> {
  const { client, schema, hasCoordinator } = reading.database;
  const visible = await readCommits(client, hasCoordinator);
  let subject: Subject = { schema, projectKey: 0n, evaluations: [], paths: [], visible };
  const loads = new Map<string, LoadedRelation>();
  const streamOf = ({ sql, params }: SqlStatement, settings: Readonly<Record<string, string>>) => {
    const bound = Object.fromEntries(params.map(({ value }, i) => [`p${i + 1}`, value]));
    const loaded = [...loads.values()].filter(({ name }) => sql.includes(name));
    return client.arrow(
      preceded(sql, subject, loaded),
      Object.assign(bound, ...loaded.map(({ lists }) => lists)),
      { settings: { ...QUERY_SETTINGS, ...settings }, signal: reading.signal },
    );
  };
  const rows = async (query: Sql) =>
    arrowRecords(await streamOf(statement(query, CLICKHOUSE), {}), reading.turns);
  const session: Session = {
    dialect: CLICKHOUSE,
    epoch: null,
    turns: reading.turns,
    about: async (projectId, evaluationIds) => {
      if (projectId === null) {
        subject = { ...subject, projectKey: null, evaluations: [], paths: [] };
        return;
      }
      const projectKey = hashKey(projectId, "");
      subject = {
        ...subject,
        projectKey,
        evaluations: evaluationIds.map((id) => hashKey(projectId, id)),
        paths: await readPaths(reading, projectKey, visible),
      };
    },
    all: async (query) => (await rows(query.sql)).map(query.read),
    rows,
    vectors: async (query) =>
      columnStream(await streamOf(query, COLUMN_SETTINGS), reading.turns, reading.signal),
    inSecondSession: (work) => work(session),
    load: (name, columns) => void loads.set(name, loadedRelation(name, columns)),
  };
  return session;
}

/** A piece of a result is in memory as a whole, here and on the server: with long texts it should have few records. */
const COLUMN_SETTINGS = { max_block_size: "8192" } as const;

/** A statement with the functions and relations that it uses. */
function preceded(text: string, subject: Subject, loaded: readonly LoadedRelation[]): string {
  const records = recordRelations(text, subject.schema).map(([name, relation]) => `${name} AS (${relation})`);
  const own = [preamble(subject), ...records, ...loaded.map((one) => `${one.name} AS (${one.text})`)].join(
    ",\n",
  );
  return text.startsWith("WITH ") ? `WITH ${own},\n${text.slice(5)}` : `WITH ${own}\n${text}`;
}

/** The score paths of a project, in the order in which they were first stored. */
async function readPaths(
  { database, signal }: Reading,
  projectKey: bigint,
  visible: Visible,
): Promise<bigint[]> {
  const found = await database.client.rows(
    `SELECT path_key FROM score_paths WHERE project_key = {project: UInt64} AND ${IS_VISIBLE}
      GROUP BY path_key ORDER BY min((load, position))`,
    { project: projectKey, ...visibleValues(visible) },
    { signal },
  );
  return found.map(([key]) => digits(key));
}

/** An integer of 64 bits as the client gives it. */
function digits(value: unknown): bigint {
  if (typeof value !== "string") throw new TypeError("ClickHouse gave no digits for an integer");
  return BigInt(value);
}
