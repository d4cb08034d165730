import {
  asStored,
  splitMet,
  type CallIdentity,
  type KnownCall,
  type StoredCalls,
} from "../../ingest/lookup/known-call.ts";
import { childKeys, readCalls, type HistorySource } from "./call-histories.ts";
import { grouped } from "../../model/grouped.ts";
import { identifying, keyOf } from "./identify.ts";
import type { MetCalls } from "./met-calls.ts";
import type { Outbox } from "../insert/outbox.ts";
import type { Projects } from "./projects.ts";
import type { StoredKeys } from "./stored-keys.ts";

/**
 * What looking up calls needs; `met` and `outbox` where a load is under way, of which the server may not have
 * everything yet.
 */
interface CallSource extends Omit<HistorySource, "projectKey" | "stored"> {
  readonly projects: Projects;
  readonly reading: StoredCalls["reading"];
  readonly turns: StoredCalls["turns"];
  readonly met: MetCalls;
  /** Where the keys of what is stored are kept, if they are. */
  readonly keys: () => StoredKeys | null;
  readonly outbox: Outbox | null;
}

/** The calls that are visible, and those of the load that is under way. */
export function createStoredCalls(source: CallSource): StoredCalls {
  const { projects, reading, turns, client, visible, looked } = source;
  const stored = { reading, turns, ...identifying(projects) };
  const histories: HistorySource = { client, visible, projectKey: projects.key, stored, looked };
  return {
    ...stored,
    projectKey: projects.number,
    find: (wanted) => findCalls(source, histories, wanted),
    children: (parents) => findChildren(source, histories, parents),
  };
}

/** Sends what the load has of these calls, where it may have something that is not sent yet. */
async function sendOwn(
  { met, outbox }: CallSource,
  wanted: readonly CallIdentity[],
  kind: keyof MetCalls["older"],
): Promise<void> {
  if (wanted.some(({ hash }) => met.older[kind].has(hash)))
    await outbox?.flush(["fragments", "call_groups", "trials"]);
}

/** Those of the calls of which the server may have something. */
function maybeStored(
  { met, keys }: CallSource,
  wanted: readonly CallIdentity[],
  kind: keyof MetCalls["older"],
): readonly CallIdentity[] {
  const stored = keys();
  if (stored === null) return wanted;
  return wanted.filter(({ hash }) => stored[kind].has(hash) || met.older[kind].has(hash));
}

async function findCalls(
  source: CallSource,
  histories: HistorySource,
  wanted: readonly CallIdentity[],
): Promise<KnownCall[]> {
  const { met } = source;
  const { found, others } = splitMet(
    wanted,
    (identity) => met.recent.get(identity) ?? met.roots.get(identity),
  );
  await sendOwn(source, others, "calls");
  for (const [project, calls] of grouped(
    maybeStored(source, others, "calls"),
    ({ projectKey }) => projectKey,
  ))
    for (const call of await readCalls(histories, project, calls.map(keyOf), met.first)) found.push(call);
  return found;
}

async function findChildren(
  source: CallSource,
  histories: HistorySource,
  parents: readonly CallIdentity[],
): Promise<KnownCall[]> {
  const { met } = source;
  const wanted = new Set(parents.map(({ identity }) => identity));
  const found: KnownCall[] = [];
  const take = (call: KnownCall) => {
    if (call.parent !== null && wanted.has(call.parent.identity)) found.push(asStored(call));
  };
  met.recent.forEach(take);
  await sendOwn(source, parents, "groups");
  for (const [project, calls] of grouped(
    maybeStored(source, parents, "groups"),
    ({ projectKey }) => projectKey,
  )) {
    const keys = await childKeys(histories, project, calls.map(keyOf));
    if (keys.length === 0) continue;
    for (const call of await readCalls(histories, project, keys, met.first))
      if (!met.recent.has(call.identity)) take(call);
  }
  return found;
}
