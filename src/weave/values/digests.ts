import { createHash, type Hash } from "node:crypto";
import { piecesOf } from "../../model/long-texts.ts";
import { jsonPieces, readJson } from "../../model/read-json.ts";
import { mapInSlices, nextTurn, partsOf } from "../../model/turns.ts";
import { CANONICAL } from "./canonical.ts";

/** The digest of a JSON value from its text: 43 letters and digits. Throws `RangeError` on a value nested too deep. */
export function valueDigest(json: string): string {
  return bytesDigest(Buffer.from(readJson(json, CANONICAL), "utf8"));
}

/** {@link valueDigest} of a long value: others have their turn in between. */
export async function longValueDigest(json: string): Promise<string> {
  const hash = createHash("sha256");
  await nextTurn();
  await mapInSlices(jsonPieces(json, CANONICAL), (piece) => void hash.update(piece, "latin1"));
  return word(hash);
}

/** The digest of the bytes of a file. */
export function bytesDigest(bytes: Uint8Array): string {
  return word(createHash("sha256").update(bytes));
}

/** {@link bytesDigest} of many bytes: others have their turn in between. */
export async function longBytesDigest(bytes: Uint8Array): Promise<string> {
  const hash = createHash("sha256");
  await mapInSlices(piecesOf(bytes), (piece) => void hash.update(piece));
  return word(hash);
}

/** SHA-256 as base64url, with letters instead of `-` and `_`, so that a digest is one word in a reference. */
function word(hash: Hash): string {
  return hash.digest("base64url").replaceAll("-", "X").replaceAll("_", "Y");
}

/** Digests that are hashed at once: one by one takes three times as long. */
const AT_ONCE = 10_000;

/** The digest of a table with these rows: hexadecimal, unlike all others. */
export async function tableDigest(rowDigests: readonly string[]): Promise<string> {
  const hash = createHash("sha256");
  await mapInSlices(partsOf(rowDigests, AT_ONCE), (part) => void hash.update(part.join(""), "utf8"));
  return hash.digest("hex");
}
