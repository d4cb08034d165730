import { createHash } from "node:crypto";
import type { SourceFile } from "./source-file.ts";

/** SHA-256 of the first bytes of a file, of all of them without a length, in hexadecimal digits. */
export async function fileDigest(file: SourceFile, length = file.size): Promise<string> {
  const hash = createHash("sha256");
  for await (const piece of file.bytes(0, length)) hash.update(piece);
  return hash.digest("hex");
}
