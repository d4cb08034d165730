import { createHash } from "node:crypto";

import { canonicalText } from "./json.ts";
import type { Json } from "./json.ts";
import { datasetRowDigest } from "./references.ts";

export function valueDigest(value: Json): string {
  return createHash("sha256").update(canonicalText(value)).digest("base64url");
}

export function isDatasetReference(example: Json): example is string {
  return typeof example === "string" && datasetRowDigest(example) !== null;
}

export function rowDigest(example: Json): string {
  const named = typeof example === "string" ? datasetRowDigest(example) : null;
  return named ?? valueDigest(example);
}
