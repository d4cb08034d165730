import type { Counts } from "../ingest/kept.ts";
import type { EngineOptions } from "./engine-options.ts";
import { openBackend } from "./open-backend.ts";
import { copyTo, type CopyOptions } from "./copy-database.ts";

/** Copies the database that opens as `from` says into the one that opens as `to` says; see {@link copyTo}. */
export async function migrate(from: EngineOptions, to: EngineOptions, options: CopyOptions): Promise<Counts> {
  const source = await openBackend(from);
  try {
    return await copyTo(openBackend, source, to, options);
  } finally {
    await source.store.close();
  }
}
