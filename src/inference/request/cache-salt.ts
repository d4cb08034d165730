import { createHmac } from "node:crypto";
import type { UsageCaller } from "../usage/usage.ts";

/**
 * Binds a cache salt to its tenant, so that no other tenant can obtain it with any salt: the HMAC-SHA256 of tenant
 * and salt under the service's own secret, each preceded by its length, in base64url. The tenant is the project that
 * the request names, otherwise the user.
 */
export function boundSalt(secret: string, caller: UsageCaller, salt: string): string {
  const tenant = caller.project === null ? `user ${caller.user}` : `project ${caller.project}`;
  const mac = createHmac("sha256", secret);
  for (const field of [tenant, salt]) {
    const bytes = Buffer.from(field, "utf8");
    const length = Buffer.alloc(8);
    length.writeBigUInt64BE(BigInt(bytes.length));
    mac.update(length).update(bytes);
  }
  return mac.digest("base64url");
}
