import { readFileSync } from "node:fs";
import { join } from "node:path";
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

/** The ids of the evaluations of some imports. */
export function idsOf(results: readonly ImportResult[]): string[] {
  return results.flatMap(({ evaluations }) => evaluations.map((one) => one.evaluation_call_id));
}

/** All that requests answer about some evaluations, as one text: rows, summary, slices, comparison, history, exports. */
export async function answersAbout(engine: Engine, ids: readonly string[], folder: string): Promise<string> {
  const asked = {
    evaluation_call_ids: ids,
    include_raw_data_rows: true,
    resolve_row_refs: true,
    include_details: true,
    include_trial_errors: true,
    include_summary: true,
    include_uncertainty: true,
  };
  const answers: unknown[] = [await engine.queryEvalResults(PROJECT, asked)];
  for (const by of ["inputs.category", "inputs.input", "output.details.failure"] as const)
    answers.push(await engine.queryEvalResults(PROJECT, { ...asked, by }).catch(String));
  answers.push(await engine.leaderboard(PROJECT, { evaluations: ids }).catch(String));
  const [baseline = "", ...candidates] = ids;
  if (candidates.length > 0)
    answers.push(await engine.compareEvaluations(PROJECT, { baseline, candidates }).catch(String));
  const names = (await engine.listEvaluations(PROJECT)).filter(({ id }) => ids.includes(id));
  for (const { display_name: name } of names)
    answers.push(await engine.history(PROJECT, { name: name ?? "" }).catch(String));
  for (const format of ["csv", "jsonl"] as const) {
    const file = join(folder, `answers.${format}`);
    await engine.exportResults(PROJECT, asked, { format, path: file });
    answers.push(readFileSync(file, "utf8"));
  }
  return JSON.stringify([names, answers], null, 1).replaceAll(LONG_NUMBER, (number) =>
    String(Number(Number(number).toPrecision(DIGITS))),
  );
}

/** Means are off by at most 1e-12: how far depends on what else is stored. */
const DIGITS = 11;
const LONG_NUMBER = /(?<![\w.-])-?\d+\.\d{11,}(?:e[+-]?\d+)?(?!\w)/g;
