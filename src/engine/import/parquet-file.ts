import { EvalcubeError } from "../../errors.ts";
import { SourceFault } from "../../import/read/fault.ts";
import type { SourceFile } from "../../import/read/source-file.ts";
import { spool } from "../../import/read/unpack.ts";
import { parquetTexts, type ParquetReader } from "../../duckdb/parquet/parquet.ts";

/** Reads the records of a Parquet file; DuckDB reads files only, so bytes in memory are written to a temporary one. */
export async function* parquetFileTexts(parquet: ParquetReader, file: SourceFile): AsyncGenerator<string> {
  const spooled = file.path === null ? await spool(file.bytes(), file.name) : null;
  try {
    yield* parquetTexts(parquet, spooled?.path ?? file.path ?? "");
  } catch (error) {
    if (!(error instanceof EvalcubeError) || error.code !== "no_source") throw error;
    throw new SourceFault("invalid", null, error.message.replace(/^.*?: (?=cannot be read)/, ""), {
      cause: error,
    });
  } finally {
    await spooled?.close();
  }
}
