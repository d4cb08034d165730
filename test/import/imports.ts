import { Buffer } from "node:buffer";
import type { Engine, ImportOptions, ImportResult } from "../../src/index.ts";

export const PROJECT = "acme/qa";

type Options = Partial<ImportOptions>;

/** Imports bytes as one source. */
export async function importBytes(
  engine: Engine,
  bytes: string | Buffer,
  options: Options = {},
  name = "log",
): Promise<ImportResult> {
  const [result] = await engine.importEvaluations(
    { bytes: Buffer.from(bytes), name },
    { project: PROJECT, ...options },
  );
  if (result === undefined) throw new Error("an import without a result");
  return result;
}

/** Imports a file as one source. */
export async function importFile(engine: Engine, path: string, options: Options = {}): Promise<ImportResult> {
  const [result] = await engine.importEvaluations(path, { project: PROJECT, ...options });
  if (result === undefined) throw new Error("an import without a result");
  return result;
}

/** The whole answer of one evaluation, with its rows. */
export async function answerOf(engine: Engine, ...ids: string[]) {
  return await engine.queryEvalResults(PROJECT, {
    evaluation_call_ids: ids,
    include_raw_data_rows: true,
    resolve_row_refs: true,
    include_summary: true,
  });
}

/** How many calls and dataset rows a database holds. */
export async function recordCount(engine: Engine): Promise<number> {
  const { tables } = await engine.check();
  return tables.reduce((sum, { records }) => sum + records, 0);
}
