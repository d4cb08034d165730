import { randomUUID } from "node:crypto";
import { link, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { hasCode, orIfMissing, syncFolder } from "./durable.ts";

/**
 * Makes a database under a name of its own and gives it the right one when it is whole, so that nobody ever finds a
 * part of one. A file that another process put there meanwhile stays. `build` leaves no log behind.
 */
export async function createFile(path: string, build: (temporary: string) => Promise<void>): Promise<void> {
  const temporary = `${path}.new-${process.pid}-${randomUUID()}`;
  try {
    await removeAbandoned(path);
    await build(temporary);
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

/** Removes what processes left that ended while they made this database. */
async function removeAbandoned(path: string): Promise<void> {
  const folder = dirname(resolve(path));
  const start = `${basename(path)}.new-`;
  for (const name of await orIfMissing(readdir(folder), [])) {
    if (!name.startsWith(start)) continue;
    const owner = Number.parseInt(name.slice(start.length), 10);
    // One process makes one database at a time at a path: a file with our own number is of one before us.
    if (owner === process.pid || !isAlive(owner)) await rm(join(folder, name), { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !hasCode(error, "ESRCH");
  }
}
