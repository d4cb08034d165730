import { stat } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { EvaluateOptions } from "../../index.ts";
import { at } from "../../model/json.ts";
import { FileError, UsageError } from "../terminal/failure.ts";

/** An evaluation that a module exports. */
export type Evaluation = EvaluateOptions<unknown, unknown>;

/** The evaluations that a module exports as its default. Throws `FileError` and `UsageError`. */
export async function readEvaluations(file: string): Promise<readonly Evaluation[]> {
  const found = await stat(file).catch(() => null);
  if (found === null) throw new FileError(`cannot read ${file}: no such file`);
  if (!found.isFile() || !/\.[cm]?[jt]sx?$/.test(file))
    throw new UsageError(`${file} is no module; name a file that ends in .ts, .js, .mts or .mjs`);
  const exported = await importDefault(path.resolve(file)).catch((error: unknown) => {
    if (isNotFound(error)) {
      const [line = ""] = error.message.split("\n");
      const from = line.includes(" imported from ") ? "" : `, imported from ${file}`;
      throw new FileError(`cannot load ${file}: ${line}${from}`, { cause: error });
    }
    // Its stack names no place in the file.
    if (!(error instanceof SyntaxError)) throw error;
    const where = /tsx?$/.test(file) ? "" : `; node --check ${file} shows where`;
    throw new FileError(`cannot load ${file}: ${error.message}${where}`, { cause: error });
  });
  if (typeof exported !== "object" || exported === null)
    throw new UsageError(
      `${file} has no evaluation as its default export: export default { name, model, data, task, scorers }`,
    );
  // Each is checked next.
  return (Array.isArray(exported) ? exported : [exported]) as readonly Evaluation[];
}

/** Whether a module that is imported is not there. */
function isNotFound(error: unknown): error is Error {
  return error instanceof Error && /^(ERR_)?MODULE_NOT_FOUND$/.test(String(at(error, "code")));
}

/** JavaScript is imported by Node; TypeScript is translated first, without a file for it. */
async function importDefault(file: string): Promise<unknown> {
  const module = /\.[cm]?tsx?$/.test(file)
    ? await importTypeScript(file)
    : await import(pathToFileURL(file).href);
  return (module as { readonly default?: unknown }).default;
}

async function importTypeScript(file: string): Promise<unknown> {
  const { createJiti } = await import("jiti");
  return await createJiti(import.meta.url, { fsCache: false, interopDefault: false }).import(file);
}

/** The one evaluation under another name. Throws `UsageError` where there are several. */
export function renamed(evaluations: readonly Evaluation[], name: string | undefined): readonly Evaluation[] {
  if (name === undefined) return evaluations;
  if (evaluations.length !== 1)
    throw new UsageError(`--name is for one evaluation; the file has ${evaluations.length}`);
  return evaluations.map((one) => ({ ...one, name }));
}
