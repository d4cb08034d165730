import { createHash } from "node:crypto";
import { rowDigest } from "../../model/digest.ts";
import type { Json } from "../../model/json.ts";
import { referencedRowDigest } from "../../model/references.ts";

/** The digest by which trials meet on a row. */
export function digestOf(row: Json): string {
  return (typeof row === "string" ? referencedRowDigest(row) : null) ?? rowDigest(row);
}

/** The same for the same evaluation, row and number, so that a trial that is run again is the same call. */
export function trialId(evaluationId: string, digest: string, trial: number): string {
  const hash = createHash("sha256").update(JSON.stringify([evaluationId, digest, trial]));
  return hash.digest("base64url").slice(0, 22);
}

export function predictId(trial: string): string {
  return `${trial}-predict`;
}

export function scoreId(trial: string, scorer: string): string {
  return `${trial}-score-${scorer}`;
}
