import { EvalcubeError, StoreError } from "../../errors.ts";

/** Faults of the server: its numbers for each, and advice for the user. */
const FAULTS: readonly {
  readonly numbers: readonly string[];
  readonly code: string;
  readonly advice: string;
}[] = [
  {
    numbers: ["516", "192", "193", "194"],
    code: "bad_credentials",
    advice: "the server does not accept this user with this password; check username and password",
  },
  {
    numbers: ["497", "164"],
    code: "not_allowed",
    advice: "the user may not do this; grant what sql/clickhouse/roles.sql has",
  },
  {
    numbers: ["32", "209", "210", "279"],
    code: "unreachable",
    advice:
      "another server, of a cluster mostly a shard, does not answer this one, so nothing is answered; see that it runs, and that the servers reach one another",
  },
  {
    numbers: ["170"],
    code: "unknown_cluster",
    advice:
      "the server no longer knows the cluster over which the database is spread; put it back into remote_servers",
  },
  {
    numbers: ["243"],
    code: "storage_full",
    advice: "the server's disk is full; free some space and repeat it",
  },
  {
    numbers: ["159", "160"],
    code: "timeout",
    advice: "a statement took longer than max_execution_time; narrow the request, or raise requestTimeoutMs",
  },
  {
    numbers: ["241"],
    code: "memory_limit",
    advice:
      "a statement took more memory than max_memory_usage or the server allows; narrow the request, or raise the limit",
  },
  {
    numbers: ["202"],
    code: "busy",
    advice: "the server runs as many statements as it may at once; try again",
  },
  {
    numbers: ["285"],
    code: "too_few_replicas",
    advice:
      "not more than half of the replicas answer, so nothing is stored; start the others, or drop for good those that are lost (SYSTEM DROP REPLICA)",
  },
  {
    numbers: ["341"],
    code: "unreachable",
    advice:
      "a replica does not answer, so it is not known whether it has deleted this; see that it runs, and repeat it",
  },
  {
    numbers: ["999"],
    code: "lost_coordinator",
    advice: "the server does not reach its coordinator; see that ClickHouse Keeper runs, and repeat it",
  },
  {
    numbers: ["242"],
    code: "read_only",
    advice: "a table is read-only: the replica has lost its coordinator; write to another replica, or wait",
  },
];

const MOST_TOLD = 300;
const NO_CONNECTION =
  /^(ECONN|ENOTFOUND|EAI_|EHOST|ENET|ETIMEDOUT|EPIPE|UND_ERR|CERT_|ERR_TLS|DEPTH_|SELF_SIGNED|UNABLE_TO)/;

/** Turns an error of the client into a `StoreError`. */
export function serverFault(url: string, error: unknown, statement: string): EvalcubeError {
  if (error instanceof EvalcubeError) return error;
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : String(error);
  if (NO_CONNECTION.test(code) || /^(Timeout error|socket hang up)/.test(message)) {
    return new StoreError(
      "unreachable",
      `${url}: there is no answer (${code || message}); check the address, and whether the server runs`,
      { cause: error },
    );
  }
  const fault = FAULTS.find(({ numbers }) => numbers.includes(code));
  if (fault !== undefined)
    return new StoreError(
      fault.code,
      `${url}: ${fault.advice} (ClickHouse: error ${code}${peerOf(message)})`,
      {
        cause: error,
      },
    );
  return Object.assign(
    new StoreError("query_failed", `${url}: ClickHouse refused a statement: ${shortened(message)}`, {
      cause: error,
    }),
    { statement },
  );
}

/** The other server that a message is about. */
function peerOf(message: string): string {
  const [, peer] = /\((?:peer: )?([^\s(),]+:\d+)/.exec(message) ?? [];
  return peer === undefined ? "" : `, ${peer}`;
}

/** The server may name values, which may be long. */
function shortened(message: string): string {
  const [line = ""] = message.split("\n");
  return line.length > MOST_TOLD ? `${line.slice(0, MOST_TOLD)}…` : line;
}

/** Whether ClickHouse gave this number. */
export function hasNumber(error: unknown, number: number): boolean {
  return codeOf(error instanceof StoreError ? error.cause : error) === String(number);
}

function codeOf(error: unknown): string {
  return typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";
}
