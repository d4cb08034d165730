import { existsSync } from "node:fs";
import { constants, copyFile, readdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import type { DataFiles } from "../generate/files.ts";
import { countTrials } from "../generate/parameters.ts";
import { isInMemory, writerOf, type SubjectName } from "../subjects/registry.ts";
import { measureList, type MeasureList } from "./measures.ts";
import { startSubject, type SubjectProcess } from "./subject-process.ts";

export interface LoadOptions {
  readonly subjects: readonly SubjectName[];
  /** Takes stores that an earlier run left, when (l) is not asked for. */
  readonly reuse: boolean;
  readonly report: (message: string) => void;
}

export function storePath(files: DataFiles, subject: SubjectName): string {
  return path.join(files.folder, `store-${subject}`);
}

/**
 * Loads each subject in a process of its own and gives processes that have the stores open. Stores are opened when all are
 * loaded: one is copied for a subject that asks what another one wrote.
 */
export async function loadSubjects(
  files: DataFiles,
  options: LoadOptions,
  measures: MeasureList,
): Promise<SubjectProcess[]> {
  const { subjects, reuse } = options;
  for (const subject of subjects)
    if (!isInMemory(subject) && !(reuse && existsSync(storePath(files, subject))))
      await makeStore(subject, files, options, measures);
  const opened: SubjectProcess[] = [];
  for (const subject of subjects) {
    const started = startSubject({ subject, files, store: storePath(files, subject) });
    if (isInMemory(subject)) await load(started, files, options, measures);
    else await started.ask({ kind: "open" });
    opened.push(started);
  }
  return opened;
}

async function makeStore(
  subject: SubjectName,
  files: DataFiles,
  options: LoadOptions,
  measures: MeasureList,
): Promise<void> {
  const store = storePath(files, subject);
  const writer = writerOf(subject);
  if (writer !== null && existsSync(storePath(files, writer))) {
    await removeStore(store);
    await copyFile(storePath(files, writer), store, constants.COPYFILE_FICLONE);
    return;
  }
  const loader = startSubject({ subject, files, store });
  await load(loader, files, options, writer === null ? measures : measureList());
  await loader.stop();
  if (writer !== null) return;
  measures.add("store size", "MB", subject, (await sizeOf(store)) / 1e6);
  measures.add("store size", "of NDJSON", subject, (await sizeOf(store)) / files.callBytes);
}

async function load(
  loader: SubjectProcess,
  files: DataFiles,
  { report }: LoadOptions,
  measures: MeasureList,
): Promise<void> {
  report(`loading ${loader.subject}`);
  await removeStore(storePath(files, loader.subject));
  const reply = await loader.ask({ kind: "load" });
  if (reply.milliseconds === null) return;
  const seconds = reply.milliseconds / 1000;
  measures.add("(l) NDJSON load", "s", loader.subject, seconds);
  measures.add("(l) NDJSON load", "calls/s", loader.subject, (countTrials(files.parameters) * 4) / seconds);
  measures.add("(l) peak memory of the load", "MB", loader.subject, reply.peakBytes / 1e6);
  measures.add("(l) p99 of the event loop's delay", "ms", loader.subject, reply.delayMilliseconds);
}

async function removeStore(store: string): Promise<void> {
  for (const suffix of ["", ".wal"]) await rm(`${store}${suffix}`, { recursive: true, force: true });
}

async function sizeOf(store: string): Promise<number> {
  const entry = await stat(store);
  if (!entry.isDirectory()) return entry.size;
  let bytes = 0;
  for (const file of await readdir(store, { recursive: true, withFileTypes: true }))
    if (file.isFile()) bytes += (await stat(path.join(file.parentPath, file.name))).size;
  return bytes;
}
