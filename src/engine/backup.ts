import { existsSync } from "node:fs";
import { EvalcubeError } from "../errors.ts";
import type { FileStore } from "../store/session.ts";
import { checkText } from "../flow/check-options.ts";
import { replaceFile, writeFileChunks } from "./export/to-file.ts";

/** Copies the database to a path where no file exists. */
export async function backUp(store: FileStore, target: string): Promise<void> {
  checkText("target", target);
  // DuckDB would take a log beside the copy for the copy's own log.
  const taken = [target, `${target}.wal`].find((path) => existsSync(path));
  if (taken !== undefined) {
    throw new EvalcubeError(
      "unwritable_target",
      `${taken}: there is a file already; choose another name, or remove it`,
    );
  }
  await replaceFile(target, (temporary) => store.copy((pieces) => writeFileChunks(temporary, pieces)));
}
