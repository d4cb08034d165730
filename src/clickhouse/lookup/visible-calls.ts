import { createCallReading } from "../../ingest/record/call-reading.ts";
import type { Conventions } from "../../model/conventions.ts";
import { hashKey } from "../../model/digest.ts";
import { createTurnTaker } from "../../model/turns.ts";
import type { ClickHouse } from "../server/client.ts";
import type { Visible } from "./visible.ts";
import { childKeys, readCalls, type HistorySource } from "./call-histories.ts";
import { identifying } from "./identify.ts";
import { createProjects } from "./projects.ts";

/**
 * Reads calls as all of their visible records make them, for who writes nothing. Statements cannot say which are
 * hidden.
 */
export function createVisibleCalls(client: ClickHouse, conventions: Conventions, visible: Visible) {
  const projects = createProjects();
  const stored = {
    reading: createCallReading(conventions),
    turns: createTurnTaker(),
    ...identifying(projects),
  };
  const source: HistorySource = { client, visible, projectKey: projects.key, stored, looked: null };
  return {
    /** Reads calls by their keys, hidden ones too. */
    read: (projectId: string, keys: readonly bigint[]) =>
      readCalls(source, projects.number(projectId), keys, new Map()),
    /** Keys of calls that are or were children of one. */
    childKeys: (projectId: string, parentId: string) =>
      childKeys(source, projects.number(projectId), [hashKey(projectId, parentId)]),
  };
}
