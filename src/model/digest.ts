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

/**
 * The digest of a row that has a key: of the key alone. No row without a key has it: canonical JSON never begins so.
 */
export function keyDigest(key: string): string {
  return hash("sha256", `row_key ${JSON.stringify(key)}`, "base64url");
}

/**
 * Key of a record: a dense integer, or a hash of 64 bits. Only equality means anything.
 */
export type Key = number | bigint;

/**
 * The key of what has this identity in a project, on engines where any machine must compute it: the first 8 bytes,
 * lowest first, of the SHA-256 of the project's id, a zero byte and the identity. It fits into 64 bits without a sign,
 * never into a `number`. A project itself has an empty identity.
 */
export function hashKey(projectId: string, identity: string): bigint {
  const { low, high } = hashHalves(projectId, identity);
  return (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
}

/** The halves of {@link hashKey} as 32 bits with a sign. */
export function hashHalves(projectId: string, identity: string) {
  // As a text of bytes: a quarter of the time of a Hash or a Buffer.
  const bytes = hash("sha256", `${projectId}\0${identity}`, "binary");
  return { low: word(bytes, 0), high: word(bytes, 4) };
}

/** Four bytes of a text of bytes from `at`, lowest first. */
export function word(bytes: string, at: number): number {
  return (
    bytes.charCodeAt(at) |
    (bytes.charCodeAt(at + 1) << 8) |
    (bytes.charCodeAt(at + 2) << 16) |
    (bytes.charCodeAt(at + 3) << 24)
  );
}
