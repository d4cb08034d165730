import { createHash } from "node:crypto";
import { mapInSlices } from "../../model/turns.ts";
import { canonicalValue } from "./canonical.ts";

/** The digest of a JSON value from its text: 43 letters and digits. */
export function valueDigest(json: string): string {
  return bytesDigest(Buffer.from(canonicalValue(json), "utf8"));
}

/** SHA-256 as base64url, with letters in place of `-` and `_`, so that a digest is one word in a reference. */
export function bytesDigest(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("base64url").replaceAll("-", "X").replaceAll("_", "Y");
}

/** The digest of a table with these rows: hexadecimal, unlike all others. */
export async function tableDigest(rowDigests: readonly string[]): Promise<string> {
  const hash = createHash("sha256");
  await mapInSlices(rowDigests, (digest) => void hash.update(digest, "utf8"));
  return hash.digest("hex");
}
