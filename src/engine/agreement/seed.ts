import { createHash } from "node:crypto";

/** Derives a seed of 48 bits from the request, so that the same question has the same answer. */
export function seedOf(projectId: string, text: string): number {
  return createHash("sha256").update(`${projectId}\n${text}`).digest().readUIntBE(0, 6);
}
