import { createHash } from "node:crypto";
import { stringify } from "safe-stable-stringify";
import type { Json } from "./json.ts";

/**
 * Canonical JSON: keys sorted by code unit, no blanks, numbers in their shortest form, integers with all
 * digits. Without `bigint` values the text equals that of the package fast-json-stable-stringify, which refuses them.
 */
export function canonicalJson(value: Json): string {
  return stringify(value) ?? "null";
}

/** SHA-256 of the canonical JSON as base64url without padding: 43 characters. */
export function rowDigest(value: Json): string {
  return createHash("sha256").update(canonicalJson(value)).digest("base64url");
}

/** The key of a row or a trial as a database stores it. Nothing is known of it but whether it is that of another. */
export type StoredKey = number | bigint;
