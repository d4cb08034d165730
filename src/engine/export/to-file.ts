import { access, constants, open, readlink, realpath, rename, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { EvalcubeError, StoreError } from "../../errors.ts";
import { fileFault } from "../../model/messages.ts";
import { belongsToOpenDatabase } from "../../flow/open-files.ts";
import { makePassingFile } from "../../flow/passing-file.ts";

/**
 * Lets `make` write a temporary file beside `target`, and renames it to `target` when all of it is on disk. An existing
 * file is replaced in one step, and keeps its mode and owner; a link stays, and the file that it leads to is replaced.
 * If `make` fails, nothing is left behind; a file left by a killed process is removed with the next file.
 */
export async function replaceFile(target: string, make: (temporary: string) => Promise<void>): Promise<void> {
  const { file, found } = await placeOf(target).catch(refused(target));
  const folder = path.dirname(file);
  const temporary = await makePassingFile(folder, found?.mode ?? 0o666, found).catch(refused(target));
  try {
    await make(temporary).catch(failedWriting(temporary, target));
    await flush(temporary).catch(refused(target));
    await rename(temporary, file).catch(refused(target));
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** Lets `work` use a file in the system's folder for temporary files; the file is removed when the work ends. */
export async function inTemporaryFile<T>(work: (file: string) => Promise<T>): Promise<T> {
  const file = await makePassingFile(tmpdir(), 0o600, null).catch(refused(tmpdir()));
  try {
    return await work(file);
  } finally {
    await rm(file, { force: true }).catch(() => undefined);
  }
}

export async function writeFileChunks(file: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const handle = await open(file, "w");
  try {
    for await (const chunk of chunks) await handle.writeFile(chunk);
  } finally {
    await handle.close();
  }
}

/** Turns a failure to write `file` into an error about `target`; rethrows other errors. */
export function failedWriting(file: string, target: string): (error: unknown) => never {
  return (error) => {
    const cause = error instanceof StoreError && error.cause instanceof Error ? error.cause : error;
    const ofFile =
      cause instanceof Error && ("syscall" in cause || cause.message.includes(path.basename(file)));
    throw ofFile ? unwritable(target, cause) : error;
  };
}

/** Resolves the path to write, all links followed. Throws if the target is no file, or must not be replaced. */
async function placeOf(target: string) {
  if (target === "" || target.includes("\0")) throw new Error("it is no path");
  const found = await stat(target).catch(unlessMissing);
  if (found?.isDirectory() === true || /[/\\]$/.test(target))
    throw new Error("it is a folder; name a file in it");
  if (found?.isFile() === false || /^\/(dev\/(?!shm\/)|proc\/)/.test(path.resolve(target))) {
    throw new Error("it is a device or a pipe; write to a stream instead (on the command line: --out -)");
  }
  if (found !== null) await access(target, constants.W_OK);
  const file = await followed(path.resolve(target));
  if (belongsToOpenDatabase(file)) throw new Error("it belongs to an open database; choose another name");
  return { file, found };
}

function unlessMissing(error: unknown): null {
  if (isSystemError(error) && error.code === "ENOENT") return null;
  throw error;
}

/** Resolves the links of a path; neither the last part nor the target of a link needs to exist. */
async function followed(file: string): Promise<string> {
  const real = await realpath(file).catch(unlessMissing);
  if (real !== null) return real;
  const link = await readlink(file).catch(() => null);
  if (link !== null) return followed(path.resolve(path.dirname(file), link));
  const folder = path.dirname(file);
  const realFolder = await realpath(folder).catch(unlessMissing);
  if (realFolder === null) throw new Error(`there is no folder ${JSON.stringify(folder)}; make it first`);
  return path.join(realFolder, path.basename(file));
}

async function flush(temporary: string): Promise<void> {
  const file = await open(temporary, "a");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

function refused(target: string): (error: unknown) => never {
  return (error) => {
    throw unwritable(target, error);
  };
}

function unwritable(target: string, cause: unknown): EvalcubeError {
  const message = `cannot write ${JSON.stringify(target)}: ${reasonOf(cause)}`;
  return new EvalcubeError("unwritable_target", message, { cause });
}

/** Leaves out the temporary name, which means nothing to the reader. */
function reasonOf(error: unknown): string {
  if (isSystemError(error)) return fileFault(error);
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/^IO Error: .*": /, "");
}

function isSystemError(error: unknown): error is Error & { readonly code: string; readonly syscall: string } {
  return error instanceof Error && "code" in error && "syscall" in error;
}
