import { link, rename, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { passingPath, removeAbandoned } from "../../flow/passing-file.ts";
import { hasCode, syncFolder } from "./durable.ts";

/**
 * Creates a database under a temporary name and renames it when it is complete, so that nobody ever finds an incomplete
 * one. A file that another process put there meanwhile stays. `build` must leave no log behind.
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
    // The file system has no links.
    await rename(temporary, path);
  }
}
