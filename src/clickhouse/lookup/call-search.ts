import type { KnownCall } from "../../ingest/lookup/known-call.ts";
import { compareCalls } from "../../ingest/record/call.ts";
import { readText } from "../../ingest/record/record-text.ts";
import type { Conventions } from "../../model/conventions.ts";
import { hashKey, type Key } from "../../model/digest.ts";
import type { CallSearch, CallSelection } from "../../store/session.ts";
import type { ClickHouse } from "../server/client.ts";
import { integerOf } from "../server/integer-of.ts";
import { IS_VISIBLE, readCommits, visibleValues, type Visible } from "./visible.ts";
import { keyOf } from "./identify.ts";
import { createVisibleCalls } from "./visible-calls.ts";

interface Database {
  readonly client: ClickHouse;
  readonly hasCoordinator: boolean;
  readonly conventions: Conventions;
}

/** Calls in memory at a time, with all that was ever sent of them. */
const CALLS_AT_ONCE = 1000;

/** Reads calls, each as all that was sent of it makes it. */
export function createCallSearch(database: Database): CallSearch {
  return {
    find: async (projectId, selection, signal) => {
      const visible = await readCommits(database.client, database.hasCoordinator);
      const keys = await candidateKeys(database.client, visible, projectId, selection, signal);
      const found: { readonly key: bigint; readonly id: string; readonly startedAt: bigint }[] = [];
      const isWanted = testOf(selection);
      for await (const call of callsOf(database, visible, projectId, keys, signal)) {
        const { startedAt } = call.columns;
        if (startedAt !== null && isWanted(call)) found.push({ key: keyOf(call), id: call.id, startedAt });
      }
      return found.toSorted(compareCalls).map(({ key }) => key);
    },
    records: async (projectId, keys, signal) => {
      const visible = await readCommits(database.client, database.hasCoordinator);
      const records = new Map<Key, string>();
      for await (const call of callsOf(database, visible, projectId, keys.map(BigInt), signal))
        if (!call.hidden) records.set(keyOf(call), readText(call.text));
      return records;
    },
  };
}

/** Keys of all calls that a selection may have. */
async function candidateKeys(
  client: ClickHouse,
  visible: Visible,
  projectId: string,
  { ids, parents }: CallSelection,
  signal: AbortSignal | undefined,
): Promise<bigint[]> {
  if (ids != null) return [...new Set(ids)].map((id) => hashKey(projectId, id));
  const bound = { project: hashKey(projectId, ""), ...visibleValues(visible) };
  const own = `WHERE project_key = {project: UInt64} AND ${IS_VISIBLE}`;
  const found =
    parents == null
      ? await client.rows(`SELECT DISTINCT call_key FROM call_groups ${own}`, bound, { signal })
      : await client.rows(
          `SELECT DISTINCT call_key FROM fragments ${own} AND parent_key IN {parents: Array(UInt64)}`,
          { ...bound, parents: parents.map((id) => hashKey(projectId, id)) },
          { signal },
        );
  return found.map(([key]) => integerOf(key));
}

async function* callsOf(
  { client, conventions }: Database,
  visible: Visible,
  projectId: string,
  keys: readonly bigint[],
  signal: AbortSignal | undefined,
): AsyncGenerator<KnownCall, void, undefined> {
  const calls = createVisibleCalls(client, conventions, visible);
  for (let at = 0; at < keys.length; at += CALLS_AT_ONCE) {
    signal?.throwIfAborted();
    yield* await calls.read(projectId, keys.slice(at, at + CALLS_AT_ONCE));
  }
}

const ANY_VERSION = ":*";

/** An op name that ends in `:*` stands for every version of the op. */
function testOf({ ids, ops, parents, rootsOnly }: CallSelection): (call: KnownCall) => boolean {
  const names = new Set(ops);
  const prefixes = (ops ?? []).filter((op) => op.endsWith(ANY_VERSION)).map((op) => op.slice(0, -1));
  const [wanted, below] = [new Set(ids), new Set(parents)];
  const hasOp = (op: string) => names.has(op) || prefixes.some((prefix) => op.startsWith(prefix));
  return ({ hidden, id, parent, columns }) =>
    !hidden &&
    (ids == null || wanted.has(id)) &&
    (ops == null || (columns.opName !== null && hasOp(columns.opName))) &&
    (parents == null || (parent !== null && below.has(parent.id))) &&
    (rootsOnly !== true || parent === null);
}
