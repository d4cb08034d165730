import type { Key } from "../../model/digest.ts";
import { compileCallKeys, compileCallRecords, compileChildKeys } from "../../compile/catalog/calls.ts";
import { compileProject } from "../../compile/catalog/project.ts";
import type { CallReader, Session, Store } from "../../store/session.ts";

interface StoredProject {
  readonly projectId: string;
  /** The evaluations that are asked of. */
  readonly ids?: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

/** Runs work on a snapshot of a project, whose key it is given; resolves to `nothing` where nothing of it is stored. */
export async function inProject<T, None>(
  store: Pick<Store, "read">,
  { projectId, ids = [], signal }: StoredProject,
  nothing: None,
  work: (session: Session, projectKey: number) => Promise<T>,
): Promise<T | None> {
  return await store.read(async (session) => {
    await session.about(projectId, ids);
    const [project] = await session.all(compileProject(projectId));
    return project === undefined ? nothing : await work(session, project.key);
  }, signal);
}

/** What reads the calls of a project: statements, where the database has calls as they stand. */
export function callReader(session: Session, projectKey: number): CallReader {
  if (session.calls !== undefined) return session.calls;
  const recordsOf = async (found: readonly { readonly key: Key }[]) => {
    const keys = found.map(({ key }) => key);
    return keys.length === 0 ? [] : session.all(compileCallRecords(projectKey, keys));
  };
  return {
    find: async (_project, ids) => recordsOf(await session.all(compileCallKeys(projectKey, ids))),
    hidden: async (_project, ids) => {
      const found = await recordsOf(await session.all(compileCallKeys(projectKey, ids, true)));
      return found.map(({ id }) => id).filter((id) => ids.includes(id));
    },
    childOfEach: async (_project, parentIds) =>
      recordsOf(await session.all(compileChildKeys(projectKey, parentIds))),
  };
}
