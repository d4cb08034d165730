import { openEngine } from "../index.ts";
import type { Engine } from "../index.ts";

/** Opens the database, lets `work` use it, and closes it whatever happens. */
export async function withEngine<T>(
  options: { readonly path: string; readonly readOnly?: boolean },
  work: (engine: Engine) => Promise<T>,
): Promise<T> {
  const engine = await openEngine(options);
  try {
    return await work(engine);
  } finally {
    await engine.close();
  }
}
