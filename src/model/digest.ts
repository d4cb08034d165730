import { createHash } from "node:crypto";
import type { Json } from "./json.ts";

/**
 * Canonical JSON: keys sorted by code unit, no blanks, numbers in their shortest form, integers with all
 * digits. Without `bigint` values the text equals that of the package fast-json-stable-stringify.
 */
export function canonicalJson(value: Json): string {
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : "null";
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(",")}}`;
}

/** SHA-256 of the canonical JSON as base64url without padding: 43 characters. */
export function rowDigest(value: Json): string {
  return createHash("sha256").update(canonicalJson(value)).digest("base64url");
}
