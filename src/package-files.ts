import { readdirSync, readFileSync } from "node:fs";

/*
 * The files of the package that are read as text. `build/bundle.ts` puts another module here, which
 * holds the texts, so that a bundle reads no file.
 */

const ROOT = new URL("../", import.meta.url);

/** The text of a file; `path` is relative to the package, such as `sql/duckdb/macros.sql`. */
export function packageFile(path: string): string {
  return readFileSync(new URL(path, ROOT), "utf8");
}

/** The paths of the files in a folder such as `sql/duckdb/migrations`, in the order of their names. */
export function packageFolder(folder: string): string[] {
  const names = readdirSync(new URL(`${folder}/`, ROOT));
  return names.toSorted().map((name) => `${folder}/${name}`);
}
