import type { RecordStore, Store } from "../store/session.ts";
import type { Backend } from "./backend.ts";
import type { EngineOptions } from "./engine-options.ts";
import { openFile } from "./open-file.ts";

/** Opens what the options name. What a server needs is loaded when one is named. */
export async function openBackend(options: EngineOptions): Promise<Backend<Store & RecordStore>> {
  if (options.clickhouse === undefined) return await openFile(options);
  const { openServer } = await import("./open-server.ts");
  return await openServer(options.clickhouse, options);
}
