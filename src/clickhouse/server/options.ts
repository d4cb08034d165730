import { StoreError } from "../../errors.ts";

/** Where a database on ClickHouse is, and how to reach it. */
export interface ClickHouseOptions {
  /** The HTTP interface of a server, such as `https://ch.example:8443`. */
  readonly url: string;
  /** The database; it is created where the user may. Letters, digits and underscores. */
  readonly database: string;
  /** Default: `default`. */
  readonly username?: string | undefined;
  /** The password of the user. It is in no message. */
  readonly password?: string | undefined;
  /** The cluster of `system.clusters` over which the database is spread. Default: none, all is on one server. */
  readonly cluster?: string | undefined;
  /** A JWT instead of user and password. */
  readonly accessToken?: string | undefined;
  /** Certificate authority of the server, as PEM. */
  readonly ca?: string | Uint8Array | undefined;
  /** Milliseconds until a request is given up. Default: 300000. */
  readonly requestTimeoutMs?: number | undefined;
  /** Connections kept at most. Default: 10. */
  readonly maxConnections?: number | undefined;
  /** Further settings of the server for every statement. */
  readonly settings?: Readonly<Record<string, string | number | boolean>> | undefined;
}

/** Settings on which answers or promises depend. */
const OURS: ReadonlySet<string> = new Set([
  "async_insert",
  "distributed_group_by_no_merge",
  "distributed_product_mode",
  "insert_deduplicate",
  "insert_quorum",
  "insert_quorum_parallel",
  "join_use_nulls",
  "keeper_map_strict_mode",
  "prefer_global_in_and_join",
  "readonly",
  "select_sequential_consistency",
  "skip_unavailable_shards",
]);

/** Checks the values of options whose types are right. Throws `StoreError` `invalid_option`, which shows no secret. */
export function checkClickHouseOptions(options: ClickHouseOptions): void {
  const { url, database, requestTimeoutMs = 1, maxConnections = 1, settings = {} } = options;
  const protocol = URL.canParse(url) ? new URL(url).protocol : null;
  if (protocol !== "http:" && protocol !== "https:")
    throw refused("url must be that of the HTTP interface, such as https://ch.example:8443");
  const { username, password } = new URL(url);
  if (username !== "" || password !== "")
    throw refused("url must not hold a user or a password; use username and password");
  if (!/^[A-Za-z_]\w{0,127}$/.test(database))
    throw refused(
      `database must be a name of letters, digits and underscores, not ${JSON.stringify(database)}`,
    );
  for (const [name, value] of Object.entries({ requestTimeoutMs, maxConnections }))
    if (!Number.isInteger(value) || value < 1)
      throw refused(`${name} must be a whole number above 0, not ${value}`);
  const ours = Object.keys(settings).find((name) => OURS.has(name));
  if (ours !== undefined) throw refused(`settings must not have ${ours}: answers and loads depend on it`);
  if (options.accessToken !== undefined && (options.username ?? options.password) !== undefined)
    throw refused("accessToken replaces username and password; leave them out");
  if (options.cluster !== undefined && !/^[\w.-]+$/.test(options.cluster))
    throw refused(
      `cluster must be a name of letters, digits, underscores, dots and hyphens, not ${JSON.stringify(options.cluster)}`,
    );
}

function refused(what: string): StoreError {
  return new StoreError("invalid_option", `clickhouse: ${what}`);
}
