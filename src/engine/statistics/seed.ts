import { createHash } from "node:crypto";

/** A seed from what is asked, so that the same question has the same answer; 48 bits. */
export function seedOf(projectId: string, text: string): number {
  return createHash("sha256").update(`${projectId}\n${text}`).digest().readUIntBE(0, 6);
}
