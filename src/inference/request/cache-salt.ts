import { createHmac } from "node:crypto";
import type { Caller } from "../usage/usage.ts";

/**
 * A cache salt that no other tenant can arrive at, whatever salt it sends: the HMAC-SHA256 of tenant and salt
 * under the service's own secret, each with its length before it, in base64url. The tenant is the project that
 * the request names, or else the user.
 */
export function boundSalt(secret: string, caller: Caller, salt: string): string {
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
