import { readFileSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { EvalcubeError } from "../errors.ts";
import { readSettings } from "./settings-file.ts";
import { generateKey, keysFileSchema, type KeyEntry, type KeysFile } from "./keys.ts";

/** What may be shown of a key. */
export type KeySummary = Omit<KeyEntry, "sha256">;

/** Reads a keys file; throws with one clear line when it is missing or malformed. */
export function readKeysFile(path: string): KeysFile {
  return readSettings(path, keysFileSchema, "keys file");
}

/** Adds a key, making the file if there is none. The key is returned here and never again. */
export async function createKey(
  path: string,
  options: { readonly user: string; readonly projects: readonly string[] },
): Promise<{ key: string; id: string }> {
  const file = exists(path) ? readKeysFile(path) : { version: 1 as const, keys: [] };
  const { key, entry } = generateKey(options.user, options.projects, new Date());
  await writeKeysFile(path, { ...file, keys: [...file.keys, entry] });
  return { key, id: entry.id };
}

/** Every key of the file, revoked ones too, without its hash. */
export function listKeys(path: string): KeySummary[] {
  return readKeysFile(path).keys.map(summarise);
}

/** Marks a key as revoked; what has read the file refuses it after the next reading. */
export async function revokeKey(path: string, id: string): Promise<KeySummary> {
  const file = readKeysFile(path);
  const found = file.keys.find((entry) => entry.id === id);
  if (found === undefined) throw new EvalcubeError("unknown_key", `${path} has no key with the id ${id}.`);
  const revoked = { ...found, revoked_at: found.revoked_at ?? new Date().toISOString() };
  await writeKeysFile(path, { ...file, keys: file.keys.map((entry) => (entry === found ? revoked : entry)) });
  return summarise(revoked);
}

function summarise(entry: KeyEntry): KeySummary {
  const { sha256: _hash, ...summary } = entry;
  return summary;
}

/** A reader sees the old file or the new one, never half of one. */
async function writeKeysFile(path: string, file: KeysFile): Promise<void> {
  const temporary = `${path}.${process.pid}.new`;
  const handle = await open(temporary, "wx", 0o600);
  try {
    await handle.writeFile(`${JSON.stringify(file, null, 2)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  try {
    await rename(temporary, path);
  } catch (cause) {
    await rm(temporary, { force: true });
    throw cause;
  }
}

function exists(path: string): boolean {
  try {
    readFileSync(path);
    return true;
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return false;
    throw new EvalcubeError("unreadable_file", `The keys file ${path} cannot be read.`, { cause });
  }
}
