import { createReadStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Writable } from "node:stream";
import type { RecordBatch } from "apache-arrow";
import { encodeIpc } from "../arrow/encode-ipc.ts";
import { csvHeader, compileCsvLines, compileJsonLines, compileTableColumns } from "../compile/trial-table.ts";
import { EvalcubeError } from "../errors.ts";
import type { Session } from "../model/session.ts";
import { sql, statement, text, type Sql } from "../model/sql.ts";
import type { TrialTablePlan } from "../plan/trial-table.ts";
import { replaceFile, writeFileChunks, writeStreamChunks } from "./export-target.ts";
import type { QueryContext } from "./query.ts";
import { planTrialTable, tableBatches, type TableOptions } from "./trial-table.ts";

export const EXPORT_FORMATS = ["parquet", "csv", "jsonl", "arrow"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export interface ExportOptions extends TableOptions {
  readonly format: ExportFormat;
  /** A file; one of this name is replaced in one step when the new one is complete. */
  readonly path?: string;
  /** A stream of Node or of the web instead of a file; it is not ended. */
  readonly stream?: Writable | WritableStream<Uint8Array>;
}

/**
 * Writes the table of a request to a file or a stream, in bounded memory. Arrow: the file format at a path, the
 * stream format to a stream. Resolves to the number of trials.
 */
export async function exportResults(
  source: QueryContext,
  projectId: string,
  input: unknown,
  options: ExportOptions,
): Promise<{ readonly trials: number }> {
  const { format, path: target, stream, signal } = options;
  if (!EXPORT_FORMATS.includes(format)) {
    throw new EvalcubeError("invalid_option", `format must be one of ${EXPORT_FORMATS.join(", ")}`);
  }
  if ((target === undefined) === (stream === undefined)) {
    throw new EvalcubeError("invalid_option", "an export goes either to a path or to a stream");
  }
  return source.store.read(async (session) => {
    const { plan, warnings } = await planTrialTable(session, source, projectId, input);
    for (const warning of warnings) options.onWarning?.(warning);
    const count = { trials: 0 };
    if (target !== undefined) {
      await replaceFile(target, (file) => writeFile(session, plan, format, file, count));
    } else if (stream !== undefined) {
      await streamTable(session, plan, format, stream, count, signal);
    }
    return count;
  }, signal);
}

interface Count {
  trials: number;
}

function writeFile(
  session: Session,
  plan: TrialTablePlan,
  format: ExportFormat,
  file: string,
  count: Count,
): Promise<void> {
  if (format === "parquet") return copyParquet(session, plan, file, count);
  return writeFileChunks(file, tableBytes(session, plan, format, "file", count));
}

/** Parquet needs a file to be written in. */
async function streamTable(
  session: Session,
  plan: TrialTablePlan,
  format: ExportFormat,
  stream: Writable | WritableStream<Uint8Array>,
  count: Count,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (format !== "parquet") {
    return writeStreamChunks(stream, tableBytes(session, plan, format, "stream", count), signal);
  }
  await inTemporaryFolder(async (folder) => {
    const file = path.join(folder, "table.parquet");
    await copyParquet(session, plan, file, count);
    await writeStreamChunks(stream, createReadStream(file), signal);
  });
}

async function copyParquet(
  session: Session,
  plan: TrialTablePlan,
  file: string,
  count: Count,
): Promise<void> {
  const [copied] = await session.rows(
    sql`COPY (${compileTableColumns(plan)}) TO ${text(file)} (FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false)`,
  );
  count.trials = Number(copied?.[0]);
}

function tableBytes(
  session: Session,
  plan: TrialTablePlan,
  format: Exclude<ExportFormat, "parquet">,
  arrow: "file" | "stream",
  count: Count,
): AsyncIterable<Uint8Array> {
  switch (format) {
    case "csv":
      return lines(session, csvHeader(plan), compileCsvLines(plan), count);
    case "jsonl":
      return lines(session, "", compileJsonLines(plan), count);
    case "arrow":
      return encodeIpc(counted(tableBatches(session, plan), count), arrow);
  }
}

/** Lines are made by DuckDB: the bytes of the one column are the bytes of the file. */
async function* lines(
  session: Session,
  header: string,
  query: Sql,
  count: Count,
): AsyncGenerator<Uint8Array> {
  if (header !== "") yield Buffer.from(header, "utf8");
  const { batches } = await session.vectors(statement(query));
  for await (const { length, columns } of batches) {
    count.trials += length;
    const bytes = columns[0]?.bytes;
    if (bytes != null) yield bytes;
  }
}

async function* counted(batches: AsyncIterable<RecordBatch>, count: Count): AsyncGenerator<RecordBatch> {
  for await (const batch of batches) {
    count.trials += batch.numRows;
    yield batch;
  }
}

async function inTemporaryFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), "evalcube-"));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
