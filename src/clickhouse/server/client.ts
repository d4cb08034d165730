import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { setTimeout as wait } from "node:timers/promises";
import type { ClickHouseClient, ClickHouseSettings } from "@clickhouse/client";
import { StoreError } from "../../errors.ts";
import type { ClickHouseOptions } from "./options.ts";
import { serverFault } from "./server-faults.ts";

/** Values of a statement by the names of its parameters, `{keys: Array(UInt64)}`. */
export type Bound = Readonly<Record<string, BoundValue>>;
type BoundValue = string | number | bigint | boolean | null | readonly (string | number | bigint)[];

export interface StatementOptions {
  readonly settings?: ClickHouseSettings;
  readonly signal?: AbortSignal | undefined;
}

/** A server of ClickHouse. Everything rejects with `StoreError`. */
export interface ClickHouse {
  /** The records of a SELECT as arrays; integers of 64 bits and more are their digits. */
  readonly rows: (
    statement: string,
    bound?: Bound,
    options?: StatementOptions,
  ) => Promise<readonly (readonly unknown[])[]>;
  /** The bytes of the result of a SELECT as an Arrow stream. */
  readonly arrow: (statement: string, bound?: Bound, options?: StatementOptions) => Promise<Readable>;
  /** Runs a statement without a result. */
  readonly run: (statement: string, bound?: Bound, options?: StatementOptions) => Promise<void>;
  /** Inserts what is in the format RowBinary, in the order of `columns`. */
  readonly insert: (
    table: string,
    columns: readonly string[],
    rows: readonly Uint8Array[],
    options?: StatementOptions,
  ) => Promise<void>;
  /**
   * Waits, where there are replicas, until this one has what others had stored in these tables; not again for the same
   * `state`, which names all that they had stored.
   */
  readonly catchUp: (tables: readonly string[], state?: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

const REQUEST_TIMEOUT_MS = 300_000;
const CONNECTIONS = 10;
/** Settings of statements that end others. */
const BESIDE_TIMEOUT_MS = 10_000;

/**
 * What the settings of the user may change. A statement that was given up ends by itself then, whatever became of the
 * process.
 */
function limits({ requestTimeoutMs = REQUEST_TIMEOUT_MS, cluster }: ClickHouseOptions): ClickHouseSettings {
  return {
    // The server that is asked plans for its own part while the others do, not before it asks them.
    ...(cluster === undefined ? {} : { prefer_localhost_replica: 0 }),
    max_execution_time: Math.ceil(requestTimeoutMs / 1000),
    max_memory_usage: "10000000000",
    max_bytes_before_external_group_by: "5000000000",
  };
}

/** What answers and promises depend on. */
const SETTINGS: ClickHouseSettings = {
  async_insert: 0,
  join_use_nulls: 1,
  skip_unavailable_shards: 0,
  output_format_json_quote_64bit_integers: 1,
  output_format_json_quote_denormals: 1,
  // Errors come before the result, not within it.
  wait_end_of_query: 1,
};

/** Tables are made on the replicas that answer; the others make them when they do. */
const ON_REPLICAS: Readonly<Record<string, string>> = { distributed_ddl_output_mode: "none_only_active" };

/** Settings of statements over shards: a subquery reads from all servers first, and its result is sent to each. */
const OVER_SHARDS: ClickHouseSettings = {
  distributed_product_mode: "global",
  prefer_global_in_and_join: 1,
  // They name all visible loads.
  max_query_size: "134217728",
};

/** Settings of statements that read. */
const READING: ClickHouseSettings = { readonly: "2" };

const ARROW: ClickHouseSettings = {
  output_format_arrow_string_as_string: 1,
  output_format_arrow_compression_method: "none",
};

/**
 * Makes a client of a server for one of its databases; asks it nothing yet. Throws `StoreError` `no_client` where the
 * package is not installed.
 */
export async function openClient(
  options: ClickHouseOptions,
  database = options.database,
): Promise<ClickHouse> {
  const { createClient, ClickHouseLogLevel } = await importClient();
  const { url, cluster, username, password, accessToken, ca, settings } = options;
  const configuration = {
    url,
    database,
    application: "evalcube",
    log: { level: ClickHouseLogLevel.OFF },
    // Values beside a long statement would make a URL that servers refuse.
    use_multipart_params_auto: true,
    request_timeout: options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
    max_open_connections: options.maxConnections ?? CONNECTIONS,
    clickhouse_settings: {
      ...limits(options),
      ...settings,
      ...SETTINGS,
      ...ON_REPLICAS,
      ...(cluster === undefined ? {} : OVER_SHARDS),
    },
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(accessToken === undefined ? {} : { access_token: accessToken }),
    ...(ca === undefined ? {} : { tls: { ca_cert: Buffer.from(ca) } }),
  };
  const beside = createClient({ ...configuration, request_timeout: BESIDE_TIMEOUT_MS });
  return over(createClient(configuration), beside, url);
}

async function importClient() {
  try {
    return await import("@clickhouse/client");
  } catch (error) {
    throw new StoreError(
      "no_client",
      "clickhouse: the package @clickhouse/client is not installed; run npm install @clickhouse/client",
      { cause: error },
    );
  }
}

/** The options of a request; `id` is that of its statement. */
function sent({ settings = {}, signal }: StatementOptions, id: string) {
  return {
    clickhouse_settings: settings,
    query_id: id,
    ...(signal === undefined ? {} : { abort_signal: signal }),
  };
}

function over(client: ClickHouseClient, beside: ClickHouseClient, url: string): ClickHouse {
  const statements = createEndStatements(beside);
  const attempt = <T>(statement: string, signal: AbortSignal | undefined, work: (id: string) => Promise<T>) =>
    attemptStatement(statements, url, statement, signal, work);
  return {
    rows: (statement, bound = {}, given = {}) =>
      attempt(statement, given.signal, async (id) => {
        const result = await client.query({
          ...splitParameters(statement, bound),
          format: "JSONCompactEachRow",
          ...sent({ ...given, settings: { ...READING, ...given.settings } }, id),
        });
        return result.json<unknown[]>();
      }),
    arrow: (statement, bound = {}, given = {}) =>
      attempt(statement, given.signal, (id) => arrowStream(client, statement, bound, given, id)),
    run: (statement, bound = {}, given = {}) =>
      attempt(statement, given.signal, async (id) => {
        await client.command({ ...splitParameters(statement, bound), ...sent(given, id) });
      }),
    insert: (table, columns, rows, given = {}) => {
      const statement = `INSERT INTO ${table} (${columns.join(", ")}) FORMAT RowBinary`;
      return attempt(statement, given.signal, async (id) => {
        const values = Readable.from(rows, { objectMode: false });
        const { stream } = await client.exec({ query: statement, values, ...sent(given, id) });
        await finished(stream.resume());
      });
    },
    catchUp: async () => undefined,
    close: async () => {
      await statements.ended();
      await Promise.all([client.close(), beside.close()]);
    },
  };
}

/** A statement that is given up, by its signal or because no answer came in time, ends on the server, too. */
async function attemptStatement<T>(
  statements: EndStatements,
  url: string,
  statement: string,
  signal: AbortSignal | undefined,
  work: (id: string) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const id = randomUUID();
  try {
    return await work(id);
  } catch (error) {
    const fault = serverFault(url, error, statement);
    if (signal?.aborted === true || fault.code === "unreachable") statements.end(id);
    signal?.throwIfAborted();
    throw fault;
  }
}

async function arrowStream(
  client: ClickHouseClient,
  statement: string,
  bound: Bound,
  given: StatementOptions,
  id: string,
): Promise<Readable> {
  const { stream } = await client.exec({
    ...splitParameters(`${statement}\nFORMAT ArrowStream`, bound),
    ...sent({ ...given, settings: { ...READING, ...given.settings, ...ARROW } }, id),
  });
  return stream;
}

/** A server refuses a value of more than 128 KiB beside a statement, where a character may take nine bytes. */
const MOST_CHARACTERS = 10_000;

/**
 * A statement and its values, with long texts in parts, which the statement puts together again. Lists are split where
 * they are made.
 */
function splitParameters<Value>(statement: string, bound: Readonly<Record<string, Value>>) {
  const values: Record<string, Value | string> = {};
  let query = statement;
  for (const [name, value] of Object.entries(bound)) {
    if (typeof value !== "string" || value.length <= MOST_CHARACTERS) {
      values[name] = value;
      continue;
    }
    const parts = textParts(value);
    for (const [i, part] of parts.entries()) values[`${name}_${i}`] = part;
    query = query.replaceAll(new RegExp(`\\{${name}: ?([^}]+)\\}`, "g"), (_, type: string) => {
      return `concat(${parts.map((_part, i) => `{${name}_${i}:${type}}`).join()})`;
    });
  }
  return { query, query_params: values };
}

function textParts(text: string): string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length;) {
    const last = text.charCodeAt(at + MOST_CHARACTERS - 1);
    // Both halves of a pair stay together.
    const end = at + MOST_CHARACTERS - (last >= 0xd800 && last <= 0xdbff ? 1 : 0);
    parts.push(text.slice(at, end));
    at = end;
  }
  return parts;
}

type EndStatements = ReturnType<typeof createEndStatements>;

/** A statement may reach the server after it was given up, so it is looked for until it is found, at most so often. */
const ATTEMPTS = 5;
const WAIT_MS = 100;

/**
 * Ends statements on the server: one goes on there after the connection of its request is closed. `client` has
 * connections that no statement keeps busy.
 */
export function createEndStatements(client: ClickHouseClient) {
  const ending = new Set<Promise<void>>();
  const endOne = async (id: string) => {
    for (let left = ATTEMPTS; left > 0; left--) {
      const found = await client.query({
        query: "KILL QUERY WHERE query_id = {id: String} SYNC",
        query_params: { id },
        format: "JSONCompactEachRow",
      });
      if ((await found.json()).length > 0) return;
      await wait(WAIT_MS);
    }
  };
  return {
    end: (id: string) => {
      // Where it cannot be ended, the server ends it after max_execution_time.
      const task = endOne(id)
        .catch(() => undefined)
        .finally(() => ending.delete(task));
      ending.add(task);
    },
    /** Waits until all that is to end has ended. */
    ended: async () => {
      await Promise.all(ending);
    },
  };
}
