import { compileConventions, compileKeepConventions } from "../compile/catalog/project.ts";
import type { Conventions } from "../model/conventions.ts";
import { checkConventions, chosenConventions, type WantedConventions } from "../store/conventions.ts";
import type { FileStore } from "../store/session.ts";

/**
 * Returns the conventions that the database was created with, and stores them in a new database. Calls are read by them
 * while they load, so they are set once: asking for others later throws `StoreError`.
 */
export async function settleConventions(
  store: FileStore,
  path: string,
  wanted: WantedConventions,
): Promise<Conventions> {
  const stored = await store.read(async (session) => {
    const [found = null] = await session.all(compileConventions());
    return found;
  });
  if (stored === null) {
    const chosen = chosenConventions(wanted);
    await store.write((session) => session.run(compileKeepConventions(chosen)));
    return chosen;
  }
  checkConventions(path, stored, wanted);
  return stored;
}
