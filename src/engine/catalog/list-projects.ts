import { compileProjects } from "../../compile/catalog/project.ts";
import type { Store } from "../../store/session.ts";

/** Lists the projects of a database by id. */
export async function listProjects(store: Store): Promise<string[]> {
  const found = await store.read((session) => session.all(compileProjects()));
  return found.map(({ id }) => id);
}
