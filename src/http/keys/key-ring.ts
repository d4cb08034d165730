import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { PROJECT_PATTERN, PROJECT_PATTERN_RULE } from "../../model/project-id.ts";
import { type Right, RIGHTS } from "../../model/rights.ts";
import { USER_PATTERN, USER_RULE } from "../../model/user-name.ts";
import { checkSettings } from "../settings/settings-file.ts";

const keyEntrySchema = z.strictObject({
  id: z.string().min(1),
  user: z.string().regex(USER_PATTERN, USER_RULE),
  /** What it may do; older files do not have it, which is `admin`. */
  can: z.enum(RIGHTS).optional(),
  projects: z.array(z.string().regex(PROJECT_PATTERN, PROJECT_PATTERN_RULE)).min(1),
  /** SHA-256 of the key, hexadecimal. The key itself is not stored. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  created_at: z.iso.datetime(),
  /** From then on it is refused. */
  expires_at: z.iso.datetime().optional(),
  revoked_at: z.iso.datetime().optional(),
});

/** Schema of the keys file. */
export const keysFileSchema = z.strictObject({
  version: z.literal(1),
  keys: z.array(keyEntrySchema),
});

export type KeyEntry = z.output<typeof keyEntrySchema>;
export type KeysFile = z.output<typeof keysFileSchema>;

/** The holder of a request's key, what the key may do, and the projects that it covers. */
export interface Principal {
  /** First eight hexadecimal digits of the key's SHA-256: enough to tell keys apart in a log. */
  readonly keyId: string;
  readonly user: string;
  readonly can: Right;
  readonly projects: readonly string[];
}

/** Generates a key (256 random bits) and the entry that recognises it. Throws on a bad user or project pattern. */
export function generateKey(
  user: string,
  projects: readonly string[],
  now: Date,
  can: Right = "admin",
): { key: string; entry: KeyEntry } {
  const key = `ec_${randomBytes(32).toString("base64url")}`;
  const sha256 = hashKey(key).toString("hex");
  const entry = {
    id: sha256.slice(0, 8),
    user,
    can,
    projects: [...projects],
    sha256,
    created_at: now.toISOString(),
  };
  return { key, entry: checkSettings(entry, keyEntrySchema, "key") };
}

/** Returns the principal of a key; undefined for a key that is unknown, revoked or expired. */
export type KeyRing = (key: string) => Principal | undefined;

/** Compares a key with every valid entry, each in constant time, even after a match. */
export function createKeyRing(file: KeysFile): KeyRing {
  const valid = file.keys
    .filter((entry) => entry.revoked_at === undefined)
    .map((entry) => ({
      digest: Buffer.from(entry.sha256, "hex"),
      endsAt: Date.parse(entry.expires_at ?? "") || Infinity,
      principal: {
        keyId: entry.sha256.slice(0, 8),
        user: entry.user,
        can: entry.can ?? ("admin" as const),
        projects: entry.projects,
      },
    }));
  return (key) => {
    const digest = hashKey(key);
    let found: (typeof valid)[number] | undefined;
    for (const candidate of valid) {
      if (timingSafeEqual(candidate.digest, digest)) found = candidate;
    }
    return found === undefined || found.endsAt <= Date.now() ? undefined : found.principal;
  };
}

/** Whether the key's patterns cover the project. */
export function mayUse(principal: Omit<Principal, "can">, projectId: string): boolean {
  const entity = projectId.slice(0, projectId.indexOf("/"));
  return principal.projects.some(
    (pattern) => pattern === "*" || pattern === projectId || pattern === `${entity}/*`,
  );
}

function hashKey(key: string): Buffer {
  return createHash("sha256").update(key, "utf8").digest();
}
