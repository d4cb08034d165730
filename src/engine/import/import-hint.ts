import { EvalcubeError, IngestError, StoreError } from "../../errors.ts";
import type { ParquetReader } from "../../duckdb/parquet/parquet.ts";

/** Codes of errors at the begin of a source that is no source of records. */
const AT_BEGIN = new Set(["invalid_schema", "no_source", "invalid_source"]);

/** Adds to the error of a load that the file is a log or a table, which `import` reads. */
export async function withImportHint<T>(
  name: string,
  parquet: ParquetReader,
  load: () => Promise<T>,
): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (error instanceof StoreError && error.code === "out_of_memory" && !error.message.startsWith(name))
      error.message = `${name}: ${error.message}`;
    const isAtBegin =
      error instanceof IngestError
        ? error.position <= 1
        : error instanceof EvalcubeError && AT_BEGIN.has(error.code);
    const format = isAtBegin ? await formatOf(name, parquet).catch(() => null) : null;
    if (format !== null && error instanceof Error)
      error.message += `; this is ${format === "table" ? "a table" : `a log of the format ${format}`}, which evalcube import (importEvaluations) reads`;
    throw error;
  }
}

async function formatOf(name: string, parquet: ParquetReader): Promise<string | null> {
  const { formatOfFile } = await import("./recognised-sources.ts");
  return formatOfFile(name, parquet);
}
