import { identity } from "../../../ingest/keys/catalog.ts";
import type { CallIdentity } from "../../../ingest/lookup/known-call.ts";
import { hashKey } from "../../../model/digest.ts";
import type { Projects } from "./projects.ts";
import { halvesOf } from "./stored-keys.ts";

/** Identifies a call by its key, as two halves. */
export function identifyCall(projects: Projects, projectKey: number, id: string): CallIdentity {
  const key = hashKey(projects.id(projectKey), id);
  const hash = halvesOf(key);
  return { projectKey, id, identity: identity(projectKey, id), hash };
}

/** The key whose halves a call has. */
export function keyOf({ hash }: Pick<CallIdentity, "hash">): bigint {
  return (BigInt(hash.high >>> 0) << 32n) | BigInt(hash.low >>> 0);
}
