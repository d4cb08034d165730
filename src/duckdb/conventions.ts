import { compileConventions, compileKeepConventions } from "../compile/catalog/conventions.ts";
import { StoreError } from "../errors.ts";
import { DEFAULT_CONVENTIONS, type Conventions } from "../model/conventions.ts";
import type { FileStore } from "../store/session.ts";

/**
 * Returns the conventions that the database was created with, and stores them in a new database. Calls are read by them
 * while they load, so they are set once: asking for others later throws `StoreError`.
 */
export async function settleConventions(
  store: FileStore,
  path: string,
  wanted: Partial<Conventions>,
): Promise<Conventions> {
  const stored = await store.read(async (session) => {
    const [found = null] = await session.all(compileConventions());
    return found;
  });
  if (stored === null) {
    const chosen = { ...DEFAULT_CONVENTIONS, ...wanted };
    await store.write((session) => session.run(compileKeepConventions(chosen)));
    return chosen;
  }
  for (const name of ["predictAndScoreOps", "attributeNamespaces"] as const) {
    if (wanted[name] === undefined || JSON.stringify(wanted[name]) === JSON.stringify(stored[name])) continue;
    throw new StoreError(
      "other_conventions",
      `${path}: made with ${name} ${JSON.stringify(stored[name])}, not ${JSON.stringify(wanted[name])}; leave the option out, or load the calls into a new database`,
    );
  }
  return stored;
}
