import { existsSync } from "node:fs";
import { open, rename, rm, type FileHandle } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { EvalcubeError } from "../../errors.ts";
import { fileFault } from "../../model/messages.ts";
import { readSettings } from "../settings/settings-file.ts";
import { generateKey, keysFileSchema, type KeyEntry, type KeysFile } from "./key-ring.ts";

/** The members of a key that may be shown. */
export type KeySummary = Omit<KeyEntry, "sha256">;

/** Reads a keys file; throws with a one-line message when it is missing or malformed. */
export function readKeysFile(path: string): KeysFile {
  return readSettings(path, keysFileSchema, "keys file", "; `evalcube keys create` makes one");
}

/** Adds a key, and creates the file if there is none. The key is returned only here. */
export async function createKey(
  path: string,
  options: { readonly user: string; readonly projects: readonly string[] },
): Promise<{ key: string; id: string }> {
  const { key, entry } = generateKey(options.user, options.projects, new Date());
  await changeKeysFile(path, () => {
    const file = existsSync(path) ? readKeysFile(path) : { version: 1 as const, keys: [] };
    return { ...file, keys: [...file.keys, entry] };
  });
  return { key, id: entry.id };
}

/** Lists every key of the file without its hash, including revoked ones. */
export function listKeys(path: string): KeySummary[] {
  return readKeysFile(path).keys.map(summarise);
}

/** Marks a key as revoked; a running service refuses it after it reads the file again. */
export async function revokeKey(path: string, id: string): Promise<KeySummary> {
  const revoked_at = new Date().toISOString();
  const file = await changeKeysFile(path, () => {
    const { keys, ...rest } = readKeysFile(path);
    if (!keys.some((entry) => entry.id === id)) {
      throw new EvalcubeError("unknown_key", `${path} has no key with the id ${id}.`);
    }
    return { ...rest, keys: keys.map((entry) => (entry.id === id ? { revoked_at, ...entry } : entry)) };
  });
  const [revoked] = file.keys.filter((entry) => entry.id === id).map(summarise);
  if (revoked === undefined) throw new EvalcubeError("unknown_key", `${path} has no key with the id ${id}.`);
  return revoked;
}

function summarise(entry: KeyEntry): KeySummary {
  const { sha256: _hash, ...summary } = entry;
  return summary;
}

/** How long to wait for another writer in milliseconds. */
const PATIENCE_MS = 2_000;

/**
 * Replaces the file with the result of `change`. A reader sees the old file or the new one, never a partial file.
 * Concurrent writers take turns, and each starts from the file of the previous one.
 */
async function changeKeysFile(path: string, change: () => KeysFile): Promise<KeysFile> {
  const temporary = `${path}.new`;
  const handle = await openAlone(temporary, performance.now() + PATIENCE_MS);
  try {
    const file = change();
    await handle.writeFile(`${JSON.stringify(file, null, 2)}\n`);
    await handle.sync();
    // Windows renames and removes no file that is open.
    await handle.close();
    await rename(temporary, path);
    return file;
  } catch (cause) {
    await handle.close();
    await rm(temporary, { force: true });
    throw cause;
  }
}

async function openAlone(path: string, until: number): Promise<FileHandle> {
  for (;;) {
    try {
      return await open(path, "wx", 0o600);
    } catch (cause) {
      const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
      if (code !== "EEXIST") {
        const message = `The keys file ${path} cannot be written: ${fileFault(cause)}.`;
        throw new EvalcubeError("unwritable_file", message, { cause });
      }
      if (performance.now() > until) {
        const hint = "another process is writing keys; if it has died, remove this file";
        throw new EvalcubeError("locked_file", `${path} exists: ${hint}.`, { cause });
      }
      await setTimeout(20);
    }
  }
}
