import { collectTable } from "../arrow/encode/batch.ts";
import type { Engine } from "../engine/api.ts";
import { RESULT_EXPORT_RULES } from "../engine/export/export-results.ts";
import { SQL_EXPORT_RULES, SQL_RULES, type SqlExport } from "../engine/export/export-sql.ts";
import { checkTarget, type ExportFormat } from "../engine/export/write-table.ts";
import type { TableOf } from "../engine/table-of.ts";
import { TABLE_RULES } from "../engine/table/table.ts";
import { EvalcubeError, withIssues } from "../errors.ts";
import { checkOptions, checkProjectId } from "../flow/check-options.ts";
import { at } from "../model/json.ts";
import { isOfKnown } from "../request/resolve-names.ts";
import type { RecordBatch } from "apache-arrow";
import { bodyOf } from "./answers.ts";
import { routeOf } from "./place.ts";
import { withinTime, type RemoteSession } from "./session.ts";
import { readAnswer } from "./shape.ts";
import { arrowBatches, writeBytes } from "./written.ts";

type Requested = Pick<Engine, "queryTable" | "queryBatches" | "exportResults">;
type Stated = Pick<Engine, "sql" | "sqlBatches" | "exportSql">;

/** A table to ask for. */
interface Asked {
  readonly path: string;
  readonly body: { readonly format: ExportFormat; readonly [member: string]: unknown };
  readonly signal?: AbortSignal | undefined;
  readonly timeLimitSeconds?: number | undefined;
  /** Hears what the service tells beside the bytes, before the first of them. */
  readonly hear?: (beside: Beside) => void;
}

/** What a service tells beside the bytes of a table. */
interface Beside {
  readonly warnings?: readonly string[];
  readonly columns?: SqlExport["columns"];
}

/** Media types of what comes. */
const TYPES: Readonly<Record<ExportFormat, string>> = {
  parquet: "application/vnd.apache.parquet",
  arrow: "application/vnd.apache.arrow.stream",
  csv: "text/csv",
  jsonl: "application/x-ndjson",
  json: "application/json",
};

const BESIDE_HEADER = "x-evalcube-beside";

/** Opens the bytes of a table, and reads them within its time. */
async function withBytes<T>(
  { connection }: RemoteSession,
  { path, body, hear, timeLimitSeconds }: Asked,
  signal: AbortSignal,
  read: (chunks: AsyncIterable<Uint8Array>, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return await withinSeconds(timeLimitSeconds, signal, async (within) => {
    const comes = TYPES[body.format];
    const sent = { method: "POST", path, body: bodyOf(body), again: true, comes } as const;
    const { headers, chunks } = await connection.open(sent, within).catch(ofRequest);
    const beside = headers.get(BESIDE_HEADER);
    if (beside !== null)
      hear?.(
        await readAnswer<Beside>(connection.place, "object", () => JSON.parse(decodeURIComponent(beside))),
      );
    return await read(chunks, within);
  });
}

/** The member of a body that has the request. */
const REQUEST = "request";

/** The places of faults are inside the request, which is a member of what was sent. */
function ofRequest(error: unknown): never {
  throw withIssues(error, (issue) =>
    issue.loc[0] === REQUEST ? { ...issue, loc: issue.loc.slice(1) } : issue,
  );
}

/** Longest time that a timer can count, in seconds; a longer one is that of the service. */
const LONGEST_TIMER = 2_000_000;

async function withinSeconds<T>(
  seconds: number | undefined,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (seconds === undefined || seconds > LONGEST_TIMER) return await work(signal);
  const late = new EvalcubeError("time_limit", `the statement took longer than ${seconds} seconds`);
  return await withinTime(seconds * 1000, late, signal, work);
}

function batchesOf(session: RemoteSession, asked: Asked): AsyncGenerator<RecordBatch, void, undefined> {
  return session.pieces<RecordBatch>(
    (write, signal) =>
      withBytes(session, asked, signal, async (chunks) => {
        for await (const batch of arrowBatches(chunks)) await write(batch);
      }),
    asked.signal,
  );
}

/** The trials of a request. Names of no evaluation are left out, as the library does, unless the request says else. */
function trialsOf(projectId: string, request: object, members: Asked["body"]): Pick<Asked, "path" | "body"> {
  checkProjectId(projectId);
  const rows = { include_raw_data_rows: false, resolve_row_refs: false };
  const given = Object.entries(rows).map(([name, usual]) => [name, at(request, name) ?? usual]);
  const body = { [REQUEST]: { ...request, ...Object.fromEntries(given) }, ...members };
  const unknown = isOfKnown(request) ? "" : "?unknown_names=keep";
  return { path: routeOf(projectId, `export${unknown}`), body };
}

export function remoteTables(session: RemoteSession): Requested {
  const queryBatches: Requested["queryBatches"] = async function* (projectId, request, options = {}) {
    checkOptions(options, TABLE_RULES);
    const asked = { ...trialsOf(projectId, request, { format: "arrow", bare: true }), hear: tell(options) };
    yield* batchesOf(session, { ...asked, signal: options.signal });
  };
  return {
    queryBatches,
    queryTable: async <Row extends object>(...given: Parameters<Requested["queryBatches"]>) =>
      (await collectTable(queryBatches(...given))) as TableOf<Row>,
    exportResults: async (projectId, request, target) => {
      checkOptions(target, RESULT_EXPORT_RULES);
      checkTarget(target);
      const { format, csvSafe: csv_safe, details, bare, signal } = target;
      const asked = {
        ...trialsOf(projectId, request, { format, csv_safe, details, bare }),
        hear: tell(target),
      };
      return await session.run(async (stop) => {
        const write = (chunks: AsyncIterable<Uint8Array>) => writeBytes(chunks, { ...target, signal: stop });
        return { trials: await withBytes(session, asked, stop, write) };
      }, signal);
    },
  };
}

/** Passes on the warnings that come beside a table. */
function tell({ onWarning }: { readonly onWarning?: ((warning: string) => void) | undefined }) {
  return ({ warnings = [] }: Beside) => {
    for (const one of warnings) onWarning?.(one);
  };
}

const MOST_BYTES = 256 * 1024 * 1024;

export function remoteStatements(session: RemoteSession): Stated {
  const sqlBatches: Stated["sqlBatches"] = async function* (projectId, statement, params = [], options = {}) {
    checkOptions(options, SQL_RULES);
    checkProjectId(projectId);
    const { signal, timeLimitSeconds } = options;
    const body = { statement, params, format: "arrow" } as const;
    yield* batchesOf(session, { path: routeOf(projectId, "sql"), body, signal, timeLimitSeconds });
  };
  return {
    sqlBatches,
    sql: async <Row extends object>(...given: Parameters<Stated["sqlBatches"]>) =>
      (await collectTable(sqlBatches(...given), given[3]?.maxResultBytes ?? MOST_BYTES)) as TableOf<Row>,
    exportSql: async (projectId, statement, params, target) => {
      checkOptions(target, SQL_EXPORT_RULES);
      checkTarget(target);
      checkProjectId(projectId);
      const { format, csvSafe: csv_safe, timeLimitSeconds, signal } = target;
      const told: { columns: SqlExport["columns"] } = { columns: [] };
      const asked = {
        path: routeOf(projectId, "export"),
        body: { statement, params, format, csv_safe },
        timeLimitSeconds,
        hear: ({ columns = [] }: Beside) => void (told.columns = columns),
      };
      return await session.run(async (stop) => {
        const records = await withBytes(session, asked, stop, (chunks, within) =>
          writeBytes(chunks, { ...target, signal: within }),
        );
        return { records, ...told };
      }, signal);
    },
  };
}
