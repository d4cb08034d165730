import { readText } from "../../ingest/record/record-text.ts";
import type { Conventions } from "../../model/conventions.ts";
import { hashKey } from "../../model/digest.ts";
import type { CallReader, StoredCall } from "../../store/session.ts";
import type { ClickHouse } from "../server/client.ts";
import type { StoredCall as MergedCall } from "../lookup/call-histories.ts";
import { createVisibleCalls } from "../lookup/visible-calls.ts";
import type { Visible } from "../lookup/visible.ts";

/** So many children of a call are read at once until one is found that is not hidden. */
const CHILDREN_AT_ONCE = 500;

/** Reads calls as they stand. */
export function createCallReader(client: ClickHouse, conventions: Conventions, visible: Visible): CallReader {
  const calls = createVisibleCalls(client, conventions, visible);
  const read = async (projectId: string, keys: readonly bigint[]) =>
    (await calls.read(projectId, keys)).filter(({ hidden }) => !hidden);
  const firstChild = async (projectId: string, parentId: string): Promise<MergedCall | null> => {
    const keys = await calls.childKeys(projectId, parentId);
    for (let at = 0; at < keys.length; at += CHILDREN_AT_ONCE) {
      const children = await read(projectId, keys.slice(at, at + CHILDREN_AT_ONCE));
      const child = children.find((one) => one.parent?.id === parentId);
      if (child !== undefined) return child;
    }
    return null;
  };
  return {
    find: async (projectId, ids) => {
      const keys = ids.map((id) => hashKey(projectId, id));
      return (await read(projectId, keys)).map(asRecord);
    },
    hidden: async (projectId, ids) => {
      const found = await calls.read(
        projectId,
        ids.map((id) => hashKey(projectId, id)),
      );
      return found.filter(({ hidden }) => hidden).map(({ id }) => id);
    },
    childOfEach: async (projectId, parentIds) => {
      const found: StoredCall[] = [];
      for (const parentId of parentIds) {
        const child = await firstChild(projectId, parentId);
        if (child !== null) found.push(asRecord(child));
      }
      return found;
    },
  };
}

function asRecord({ id, text }: MergedCall): StoredCall {
  return { id, record: readText(text) };
}
