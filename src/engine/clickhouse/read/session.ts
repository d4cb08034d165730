import { CLICKHOUSE, QUERY_SETTINGS } from "../../../compile/clickhouse/dialect.ts";
import { preamble, type Subject, type Visible } from "../../../compile/clickhouse/relations.ts";
import { StoreError } from "../../../errors.ts";
import { hashKey } from "../../../model/digest.ts";
import type { Turns } from "../../../model/turns.ts";
import type { Session } from "../../../store/session.ts";
import { statement, type Sql } from "../../../store/sql.ts";
import type { ClickHouse } from "../client.ts";
import { arrowRecords } from "./records.ts";

/** What a session of reading needs. */
export interface Reading {
  readonly client: ClickHouse;
  readonly database: string;
  readonly turns: Turns;
  readonly signal: AbortSignal | undefined;
}

/** A session that only reads, of the loads that are visible when it is opened. */
export async function openSession(reading: Reading): Promise<Session> {
  const visible = await readVisible(reading);
  let subject: Subject = { database: reading.database, projectKey: 0n, evaluations: [], paths: [], visible };
  const rows = async (query: Sql) => {
    const { sql, params } = statement(query, CLICKHOUSE);
    const bound = Object.fromEntries(params.map(({ value }, i) => [`p${i + 1}`, value]));
    const stream = await reading.client.arrow(preceded(sql, subject), bound, {
      settings: QUERY_SETTINGS,
      signal: reading.signal,
    });
    return arrowRecords(stream, reading.turns);
  };
  const session: Session = {
    dialect: CLICKHOUSE,
    epoch: null,
    turns: reading.turns,
    about: async (projectId, evaluationIds) => {
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
    vectors: () => Promise.reject(notOffered("a stream of columns")),
    run: () => Promise.reject(notOffered("a statement that changes something")),
    inSecondSession: (work) => work(session),
    load: () => {
      throw notOffered("a table of its own");
    },
  };
  return session;
}

function notOffered(what: string): StoreError {
  return new StoreError("unsupported_on_backend", `${what} is not offered on ClickHouse`);
}

/** A statement with the functions and relations that it uses. */
function preceded(text: string, subject: Subject): string {
  const own = preamble(subject);
  return text.startsWith("WITH ") ? `WITH ${own},\n${text.slice(5)}` : `WITH ${own}\n${text}`;
}

async function readVisible({ client, signal }: Reading): Promise<Visible> {
  const found = await client.rows(
    `SELECT maxIf(load, state = 'settled'), groupUniqArrayArrayIf(loads, state = 'visible') FROM loads`,
    {},
    { signal },
  );
  const [upTo, loads] = found[0] ?? [];
  return {
    upTo: digits(upTo),
    loads: Array.isArray(loads) ? loads.map(digits) : [],
  };
}

/** The score paths of a project, in the order in which they were first stored. */
async function readPaths(
  { client, signal }: Reading,
  projectKey: bigint,
  { upTo, loads }: Visible,
): Promise<bigint[]> {
  const found = await client.rows(
    `SELECT path_key FROM score_paths WHERE project_key = {project: UInt64} AND (load <= {upTo: UInt64} OR load IN {loads: Array(UInt64)})
      GROUP BY path_key ORDER BY min((load, position))`,
    { project: projectKey, upTo, loads },
    { signal },
  );
  return found.map(([key]) => digits(key));
}

/** An integer of 64 bits as the client gives it. */
function digits(value: unknown): bigint {
  if (typeof value !== "string") throw new TypeError("ClickHouse gave no digits for an integer");
  return BigInt(value);
}
