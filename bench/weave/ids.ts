import { createHash } from "node:crypto";

/** An id of the form that SDKs make, the same for the same name. */
export function uuidFrom(name: string): string {
  const hex = createHash("sha256").update(name).digest("hex");
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `7${hex.slice(13, 16)}`,
    hex.slice(16, 20),
    hex.slice(20, 32),
  ].join("-");
}
