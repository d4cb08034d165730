import { EvalcubeError, IngestError } from "../../errors.ts";
import { IMPORT_FORMATS } from "../../import/formats/formats.ts";
import { openSourceFile } from "../../import/read/source-file.ts";
import { NOWHERE, readHead } from "../../import/recognise/head.ts";

/** Codes of errors at the begin of a source that is no source of records. */
const AT_BEGIN = new Set(["invalid_schema", "no_source", "invalid_source"]);

/** Adds to the error of a load that the file is a log or a table, which `import` reads. */
export async function withImportHint<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const isAtBegin =
      error instanceof IngestError
        ? error.position <= 1
        : error instanceof EvalcubeError && AT_BEGIN.has(error.code);
    const format = isAtBegin ? await formatOfFile(name).catch(() => null) : null;
    if (format !== null && error instanceof Error)
      error.message += `; this is ${format === "table" ? "a table" : `a log of the format ${format}`}, which evalcube import (importEvaluations) reads`;
    throw error;
  }
}

async function formatOfFile(name: string): Promise<string | null> {
  const file = await openSourceFile(name, name);
  try {
    const head = await readHead(file, NOWHERE, false);
    return IMPORT_FORMATS.find((format) => format.recognises(head))?.name ?? null;
  } finally {
    await file.close();
  }
}
