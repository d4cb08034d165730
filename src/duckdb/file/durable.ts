import { open } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { ON_WINDOWS } from "../../flow/system.ts";

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

/** Resolves to `otherwise` if the file does not exist. */
export async function orIfMissing<T, U>(reading: Promise<T>, otherwise: U): Promise<T | U> {
  try {
    return await reading;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return otherwise;
    throw error;
  }
}

/** Makes the names in a file's folder durable after files were created, renamed or removed there. */
export async function syncFolder(file: string): Promise<void> {
  // Windows cannot open a folder; there, a name is durable with its file.
  if (ON_WINDOWS) return;
  const folder = await open(dirname(resolve(file)), "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
