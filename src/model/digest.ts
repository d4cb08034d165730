import { hash } from "node:crypto";
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
  return hash("sha256", canonicalJson(value), "base64url");
}

/** What stands for a record in a database: a dense integer, or a hash of 64 bits. Nothing is known of it but whether it is another's. */
export type Key = number | bigint;
