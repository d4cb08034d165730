import { existsSync } from "node:fs";
import { open, rename, rm, type FileHandle } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { EvalcubeError } from "../../errors.ts";
import { fileFault } from "../../model/messages.ts";
import type { Right } from "../../model/rights.ts";
import { readSettings } from "../settings/settings-file.ts";
import { generateKey, keysFileSchema, type KeyEntry, type KeysFile } from "./key-ring.ts";
import { readUsedKeys } from "./used-keys.ts";

/** The members of a key that may be shown. */
export interface KeySummary extends Omit<KeyEntry, "sha256" | "can" | "expires_at"> {
  readonly can: Right;
  /** Null where nobody has used it yet. */
  readonly last_used_on: string | null;
  /** Null where it does not end by itself. */
  readonly expires_at: string | null;
}

/** Reads a keys file; throws with a one-line message when it is missing or malformed. */
export function readKeysFile(path: string): KeysFile {
  return readSettings(path, keysFileSchema, "keys file", "; `evalcube keys create` makes one");
}

/** Adds a key, and creates the file if there is none. The key is returned only here. */
export async function createKey(
  path: string,
  options: { readonly user: string; readonly projects: readonly string[]; readonly can?: Right },
): Promise<{ key: string; id: string }> {
  const { key, entry } = generateKey(options.user, options.projects, new Date(), options.can);
  await changeKeysFile(path, () => {
    const file = existsSync(path) ? readKeysFile(path) : { version: 1 as const, keys: [] };
    return { ...file, keys: [...file.keys, entry] };
  });
  return { key, id: entry.id };
}

/** Lists every key of the file without its hash, including revoked ones. */
export function listKeys(path: string): KeySummary[] {
  const used = readUsedKeys(path);
  return readKeysFile(path).keys.map(({ sha256, id, user, can = "admin", projects, ...times }) => ({
    id,
    user,
    can,
    projects,
    created_at: times.created_at,
    last_used_on: used[sha256.slice(0, 8)] ?? null,
    expires_at: times.expires_at ?? null,
    ...(times.revoked_at === undefined ? {} : { revoked_at: times.revoked_at }),
  }));
}

/** Marks a key as revoked; a running service refuses it after it reads the file again. */
export async function revokeKey(path: string, id: string): Promise<KeySummary> {
  const revoked_at = new Date().toISOString();
  await changeKey(path, id, (entry) => [{ revoked_at, ...entry }]);
  const revoked = listKeys(path).find((entry) => entry.id === id);
  if (revoked === undefined) throw unknownKey(path, id);
  return revoked;
}

/**
 * Adds a key with the user, rights and projects of another, which ends after so many milliseconds, or sooner where it
 * already does. The key is returned only here.
 */
export async function rotateKey(
  path: string,
  id: string,
  forMs: number,
): Promise<{ key: string; id: string; user: string; expiresAt: string }> {
  const now = new Date();
  let made: Awaited<ReturnType<typeof rotateKey>> | undefined;
  await changeKey(path, id, (old) => {
    const ends = Date.parse(old.expires_at ?? "") || Infinity;
    if (old.revoked_at !== undefined || ends <= now.getTime())
      throw new EvalcubeError("ended_key", `The key ${id} of ${path} has ended; make another one.`);
    const expiresAt = new Date(Math.min(ends, now.getTime() + forMs)).toISOString();
    const { key, entry } = generateKey(old.user, old.projects, now, old.can);
    made = { key, id: entry.id, user: old.user, expiresAt };
    return [{ ...old, expires_at: expiresAt }, entry];
  });
  if (made === undefined) throw unknownKey(path, id);
  return made;
}

/** Puts other entries where a key is; rejects with `unknown_key` where there is none. */
async function changeKey(path: string, id: string, change: (entry: KeyEntry) => KeyEntry[]): Promise<void> {
  await changeKeysFile(path, () => {
    const { keys, ...rest } = readKeysFile(path);
    if (!keys.some((entry) => entry.id === id)) throw unknownKey(path, id);
    return { ...rest, keys: keys.flatMap((entry) => (entry.id === id ? change(entry) : [entry])) };
  });
}

function unknownKey(path: string, id: string): EvalcubeError {
  return new EvalcubeError("unknown_key", `${path} has no key with the id ${id}.`);
}

/** How long to wait for another writer in milliseconds. */
const PATIENCE_MS = 2_000;

/**
 * Replaces the file with the result of `change`. A reader sees the old file or the new one, never a partial file.
 * Concurrent writers take turns, and each starts from the file of the previous one.
 */
async function changeKeysFile(path: string, change: () => KeysFile): Promise<void> {
  const temporary = `${path}.new`;
  const handle = await openAlone(temporary, performance.now() + PATIENCE_MS);
  try {
    const file = change();
    await handle.writeFile(`${JSON.stringify(file, null, 2)}\n`);
    await handle.sync();
    // Windows renames and removes no file that is open.
    await handle.close();
    await rename(temporary, path);
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
