import { StoreError } from "../errors.ts";
import { openEngine } from "../index.ts";
import type { Engine } from "../index.ts";

/** Opens the database, lets `work` use it, and closes it whatever happens. */
export async function withEngine<T>(path: string, work: (engine: Engine) => Promise<T>): Promise<T> {
  return await closingAfter(await openEngine({ path }), work);
}

/** As {@link withEngine}, but other processes may read the file at the same time. */
export async function withReader<T>(path: string, work: (engine: Engine) => Promise<T>): Promise<T> {
  return await closingAfter(await openReader(path), work);
}

async function openReader(path: string): Promise<Engine> {
  try {
    return await openEngine({ path, readOnly: true });
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== "old_database") throw error;
    const migrating = await openEngine({ path });
    await migrating.close();
    return await openEngine({ path, readOnly: true });
  }
}

async function closingAfter<T>(engine: Engine, work: (engine: Engine) => Promise<T>): Promise<T> {
  try {
    return await work(engine);
  } finally {
    await engine.close();
  }
}
