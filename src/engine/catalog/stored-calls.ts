import type { Key } from "../../model/digest.ts";
import { compileCallKeys, compileCallRecords, compileChildKeys } from "../../compile/catalog/calls.ts";
import type { CallReader, Session } from "../../store/session.ts";

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
