import { identity } from "../../ingest/keys/catalog.ts";
import type { CallIdentity, StoredCalls } from "../../ingest/lookup/known-call.ts";
import { hashHalves } from "../../model/digest.ts";
import type { Projects } from "./projects.ts";

/** Identifies a call by its key, as two halves. */
export function identifyCall(projects: Projects, projectKey: number, id: string): CallIdentity {
  const hash = hashHalves(projects.id(projectKey), id);
  return { projectKey, id, identity: identity(projectKey, id), hash };
}

/** Names calls of these projects, and gives them keys, as merging their records asks for. */
export function identifying(projects: Projects): Pick<StoredCalls, "identify" | "newKey"> {
  return { identify: (projectKey, id) => identifyCall(projects, projectKey, id), newKey: keyOf };
}

/** The key whose halves a call has. */
export function keyOf({ hash }: Pick<CallIdentity, "hash">): bigint {
  HALVES[0] = hash.low;
  HALVES[1] = hash.high;
  return KEY[0] ?? 0n;
}

/** Joins two halves without further bigints: 80 against 220 ns a key. */
const HALVES = new Int32Array(2);
const KEY = new BigUint64Array(HALVES.buffer);
