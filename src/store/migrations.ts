import { basename } from "node:path";
import { StoreError } from "../errors.ts";
import { packageFile, packageFolder } from "../package-files.ts";

/** The name of the format in the table `evalcube_format` of a database; the version stands beside it. */
export const FORMAT = "evalcube";

/** A step of a schema, which leads to the format of this version. */
export interface Migration {
  readonly version: number;
  readonly text: string;
}

/** Reads the numbered files of a folder, which lead from an empty database to the current format, in their order. */
export function readMigrations(folder: string): readonly Migration[] {
  const files = packageFolder(folder).filter((file) => file.endsWith(".sql"));
  return files.map((file) => ({ version: Number.parseInt(basename(file), 10), text: packageFile(file) }));
}

/**
 * The steps that a database of this version lacks; 0 is the version of an empty one. Throws `StoreError`:
 * `newer_database`, or `old_database` where no step leads on from the version, or where there are steps and the
 * database is opened `readOnly`.
 */
export function pendingSteps(
  steps: readonly Migration[],
  version: number,
  { name, readOnly }: { readonly name: string; readonly readOnly: boolean },
): readonly Migration[] {
  const newest = steps.at(-1)?.version ?? 0;
  if (version > newest)
    throw new StoreError(
      "newer_database",
      `${name}: format ${version} is newer than ${newest}, the newest that this evalcube knows; update evalcube`,
    );
  if (version !== 0 && !steps.some((step) => step.version === version))
    throw new StoreError(
      "old_database",
      `${name}: this evalcube knows no format ${version}; load the sources into a new database`,
    );
  const pending = steps.filter((step) => step.version > version);
  if (readOnly && pending.length > 0)
    throw new StoreError(
      "old_database",
      `${name}: format ${version} is older than ${newest}; open it once without readOnly to migrate it`,
    );
  return pending;
}
