import { link, rename, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { passingPath, removeAbandoned } from "../../flow/passing-file.ts";
import { hasCode, syncFolder } from "./durable.ts";

/**
 * Makes a database under a name of its own and gives it the right one when it is whole, so that nobody ever finds a
 * part of one. A file that another process put there meanwhile stays. `build` leaves no log behind.
 */
export async function createFile(path: string, build: (temporary: string) => Promise<void>): Promise<void> {
  const temporary = passingPath(dirname(resolve(path)));
  try {
    await build(temporary);
    await removeAbandoned(temporary);
    await giveName(temporary, path);
  } finally {
    await rm(temporary, { force: true });
    await rm(`${temporary}.wal`, { force: true });
  }
  await syncFolder(path);
}

async function giveName(temporary: string, path: string): Promise<void> {
  try {
    await link(temporary, path);
  } catch (error) {
    if (hasCode(error, "EEXIST")) return;
    // A file system without links.
    await rename(temporary, path);
  }
}
