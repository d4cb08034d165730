import { createCallReading } from "../../ingest/record/call.ts";
import type { Conventions } from "../../model/conventions.ts";
import { hashKey } from "../../model/digest.ts";
import { createTurnTaker } from "../../model/turns.ts";
import type { ClickHouse } from "../server/client.ts";
import type { Visible } from "./visible.ts";
import { childKeys, readCalls, type HistorySource, type StoredCall } from "./call-histories.ts";
import { identifying } from "./identify.ts";
import { createProjects } from "./projects.ts";

/** Calls as all of their visible records make them, for who writes nothing. Statements cannot say which are hidden. */
interface VisibleCalls {
  /** Reads calls by their keys, hidden ones too. */
  readonly read: (projectId: string, keys: readonly bigint[]) => Promise<StoredCall[]>;
  /** Keys of calls that are or were children of one. */
  readonly childKeys: (projectId: string, parentId: string) => Promise<bigint[]>;
}

export function createVisibleCalls(
  client: ClickHouse,
  conventions: Conventions,
  visible: Visible,
): VisibleCalls {
  const projects = createProjects();
  const stored = {
    reading: createCallReading(conventions),
    turns: createTurnTaker(),
    ...identifying(projects),
  };
  const source: HistorySource = { client, visible, projectKey: projects.key, stored, looked: null };
  return {
    read: (projectId, keys) => readCalls(source, projects.number(projectId), keys, new Map()),
    childKeys: (projectId, parentId) =>
      childKeys(source, projects.number(projectId), [hashKey(projectId, parentId)]),
  };
}
