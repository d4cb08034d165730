import { StoreError } from "../errors.ts";
import type { Engine, EngineOptions } from "../index.ts";

/** Opens the database, lets `work` use it, and closes it whatever happens. */
export async function withEngine<T>(
  path: string,
  work: (engine: Engine) => Promise<T>,
  options: Omit<EngineOptions, "path"> = {},
): Promise<T> {
  return await closingAfter(await open(path, options), work);
}

/** As {@link withEngine}, but other processes may read the file at the same time. */
export async function withReader<T>(path: string, work: (engine: Engine) => Promise<T>): Promise<T> {
  return await closingAfter(await openReader(path), work);
}

/** Imports the engine on its first use: help and usage errors come without DuckDB. */
async function open(path: string, options: Omit<EngineOptions, "path">): Promise<Engine> {
  const { openEngine } = await import("../index.ts");
  return await openEngine({ path, ...options });
}

async function openReader(path: string): Promise<Engine> {
  try {
    return await open(path, { readOnly: true });
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== "old_database") throw error;
    const migrating = await open(path, {});
    await migrating.close();
    return await open(path, { readOnly: true });
  }
}

async function closingAfter<T>(engine: Engine, work: (engine: Engine) => Promise<T>): Promise<T> {
  try {
    return await work(engine);
  } finally {
    await engine.close();
  }
}
