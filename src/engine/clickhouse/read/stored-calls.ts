import { createCallReading } from "../../../ingest/record/call.ts";
import { readText } from "../../../ingest/record/record-text.ts";
import type { Conventions } from "../../../model/conventions.ts";
import { hashKey } from "../../../model/digest.ts";
import { createTurnTaker } from "../../../model/turns.ts";
import type { CallReader, StoredCall } from "../../../store/session.ts";
import type { ClickHouse } from "../client.ts";
import {
  childKeys,
  readCalls,
  type HistorySource,
  type StoredCall as MergedCall,
} from "../lookup/call-histories.ts";
import { identifyCall, keyOf } from "../lookup/identify.ts";
import { createProjects } from "../lookup/projects.ts";
import type { Visible } from "../visible.ts";

/** So many children of a call are read at once until one is found that is not hidden. */
const CHILDREN_AT_ONCE = 500;

/** Reads calls as all their visible records make them: statements cannot merge them, or say which are hidden. */
export function createCallReader(client: ClickHouse, conventions: Conventions, visible: Visible): CallReader {
  const projects = createProjects();
  const stored: HistorySource["stored"] = {
    reading: createCallReading(conventions),
    turns: createTurnTaker(),
    identify: (project, id) => identifyCall(projects, project, id),
    newKey: keyOf,
  };
  const source: HistorySource = { client, visible, projectKey: projects.key, stored, looked: null };
  const read = async (project: number, keys: readonly bigint[]) => {
    const calls = await readCalls(source, project, keys, new Map());
    return calls.filter(({ hidden }) => !hidden);
  };
  return {
    find: async (projectId, ids) => {
      const keys = ids.map((id) => hashKey(projectId, id));
      return (await read(projects.number(projectId), keys)).map(asRecord);
    },
    childOfEach: async (projectId, parentIds) => {
      const project = projects.number(projectId);
      const found: StoredCall[] = [];
      for (const parent of parentIds) {
        const keys = await childKeys(source, project, [hashKey(projectId, parent)]);
        for (let at = 0; at < keys.length; at += CHILDREN_AT_ONCE) {
          const children = await read(project, keys.slice(at, at + CHILDREN_AT_ONCE));
          const child = children.find((one) => one.parent?.id === parent);
          if (child === undefined) continue;
          found.push(asRecord(child));
          break;
        }
      }
      return found;
    },
  };
}

function asRecord({ id, text }: MergedCall): StoredCall {
  return { id, record: readText(text) };
}
