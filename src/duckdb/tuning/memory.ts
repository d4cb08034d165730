import { memoryBytes, type StoreOptions } from "../file/store-options.ts";

/** What DuckDB may hold after that. Records of row groups that are not complete take up to 230 MB. */
const KEPT = "256MiB";

/**
 * Makes the function that lets DuckDB give up blocks that are in the file, by a moment with a smaller limit. It does nothing
 * where `underWay` has more than the write that calls it, which could meet that limit.
 */
export function shedding(
  connection: { readonly run: (statement: string) => Promise<unknown> },
  { memoryLimit }: Pick<StoreOptions, "memoryLimit">,
  underWay: { readonly count: () => number },
): () => Promise<void> {
  if (memoryLimit === null || memoryBytes(memoryLimit) <= memoryBytes(KEPT)) return () => Promise.resolve();
  return async () => {
    if (underWay.count() > 1) return;
    // DuckDB refuses a limit below what is in use, and keeps the one that it has.
    await connection.run(`SET GLOBAL memory_limit = '${KEPT}'`).catch(() => undefined);
    await connection.run(`SET GLOBAL memory_limit = '${memoryLimit}'`);
  };
}
