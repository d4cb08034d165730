import { IMPORT_FORMATS } from "../../import/formats/formats.ts";
import { openSourceFile } from "../../import/read/source-file.ts";
import { NOWHERE, readHead } from "../../import/recognise/head.ts";

/** The format of the logs that a file is one of; null where it is none. */
export async function formatOfFile(name: string): Promise<string | null> {
  const file = await openSourceFile(name, name);
  try {
    const head = await readHead(file, NOWHERE, false);
    return IMPORT_FORMATS.find((format) => format.recognises(head))?.name ?? null;
  } finally {
    await file.close();
  }
}
