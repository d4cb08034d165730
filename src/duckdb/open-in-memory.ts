import type { FileStore } from "../store/session.ts";
import { openStore } from "./store.ts";

/** A database in memory, opened when it is first needed, that reads Parquet files and writes files of every format. */
export function openInMemory(): Pick<FileStore, "read" | "scratch" | "close"> {
  let opened: Promise<FileStore> | null = null;
  const open = () =>
    (opened ??= openStore({ path: ":memory:", readOnly: false, threads: null, memoryLimit: "1GiB" }));
  return {
    read: async (work, signal) => (await open()).read(work, signal),
    scratch: async (work, signal) => (await open()).scratch(work, signal),
    close: async () => (await opened)?.close(),
  };
}
