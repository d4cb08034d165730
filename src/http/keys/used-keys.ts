import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { z } from "zod";

/** The day on which a key was last used, by its fingerprint. */
type UsedKeys = Readonly<Record<string, string>>;

const usedSchema = z.record(z.string(), z.iso.date());

const HOUR_MS = 3_600_000;

/** A file beside the keys file, since a running service must never write that one. */
function usedFile(keysFile: string): string {
  return `${keysFile}.used`;
}

/** The days that are kept beside a keys file; none where the file is not there or holds something else. */
export function readUsedKeys(keysFile: string): UsedKeys {
  try {
    return usedSchema.safeParse(JSON.parse(readFileSync(usedFile(keysFile), "utf8"))).data ?? {};
  } catch {
    return {};
  }
}

/** Keeps that a key is used: at its first use, then at most once an hour. `onFault` is told what cannot be written. */
export function createUseLog(keysFile: string, onFault: (error: unknown) => void): (keyId: string) => void {
  const noted = new Map<string, number>();
  return (keyId) => {
    const now = Date.now();
    if (now - (noted.get(keyId) ?? -Infinity) < HOUR_MS) return;
    noted.set(keyId, now);
    try {
      writeUse(keysFile, keyId, new Date(now).toISOString().slice(0, 10));
    } catch (error) {
      onFault(error);
    }
  };
}

/** Another service may write the same file, so it is read again. */
function writeUse(keysFile: string, keyId: string, day: string): void {
  const used = { ...readUsedKeys(keysFile), [keyId]: day };
  const temporary = `${usedFile(keysFile)}.${process.pid}`;
  writeFileSync(temporary, `${JSON.stringify(used, null, 2)}\n`, { mode: 0o600 });
  renameSync(temporary, usedFile(keysFile));
}
