import { EvalcubeError } from "../../errors.ts";
import { SourceFault } from "../../import/read/fault.ts";
import type { SourceFile } from "../../import/read/source-file.ts";
import { spool } from "../../import/read/unpack.ts";
import type { ParquetFiles } from "../../ingest/formats/parquet-files.ts";

/** Reads the records of a Parquet file. */
export async function* parquetFileTexts(parquet: ParquetFiles, file: SourceFile): AsyncGenerator<string> {
  const { path, close } = await onDisk(file);
  try {
    yield* parquet.texts(path);
  } catch (error) {
    if (!(error instanceof EvalcubeError) || error.code !== "no_source") throw error;
    throw new SourceFault("invalid", null, error.message.replace(/^.*?: (?=cannot be read)/, ""), {
      cause: error,
    });
  } finally {
    await close();
  }
}

/** The types of the columns of a Parquet file by their names. */
export async function parquetFileColumns(
  parquet: ParquetFiles,
  file: SourceFile,
): Promise<ReadonlyMap<string, string>> {
  const { path, close } = await onDisk(file);
  try {
    return await parquet.columnTypes(path);
  } finally {
    await close();
  }
}

/** DuckDB reads files only, so bytes in memory are written to a temporary one. */
async function onDisk(file: SourceFile) {
  if (file.path !== null) return { path: file.path, close: () => Promise.resolve() };
  const { path, close } = await spool(file.bytes(), file.name);
  return { path: path ?? "", close };
}
