import { createHash } from "node:crypto";
import { z } from "zod";
import { PROJECT_PATTERN, PROJECT_PATTERN_RULE } from "../../model/project-id.ts";
import { type Right, RIGHTS } from "../../model/rights.ts";
import { unauthorized } from "../errors/http-error.ts";
import { authenticate, type Scheme } from "./credentials.ts";
import type { KeyRing, Principal } from "./key-ring.ts";

/** Who sent a request, and what the sender may use. */
export interface Authenticated {
  /** Name of the user, 1 to 128 characters; owner of the feedback and the training jobs that the user creates. */
  readonly user: string;
  /** Projects that the user may use: `acme/qa`, `acme/*` or `*`, as in the keys file. */
  readonly projects: readonly string[];
  /**
   * What the user may do: `read` asks; `write` also stores; `admin`, the default, also deletes evaluations, calls and
   * models, and takes backups.
   */
  readonly can?: Right | undefined;
}

/**
 * Identifies the sender. Null refuses the request with 401. It is called once for each
 * request to a protected endpoint, before the body is read, and must leave the body unread: read that of
 * `request.clone()`. Where it throws, the request is answered with 500 and the log has the error.
 */
export type Authenticate = (
  request: Request,
) => Authenticated | null | undefined | Promise<Authenticated | null | undefined>;

/** Identifies the sender of a request to an endpoint with this scheme; throws 401 if there is none. */
export type Authenticator = (request: Request, scheme: Scheme) => Promise<Principal>;

/**
 * Reads the key of each request; `keyRing` gives the keys as they were last read, and `onUse` is told which are used.
 */
export function byKeys(keyRing: () => KeyRing, onUse: (keyId: string) => void): Authenticator {
  return async ({ headers }, scheme) => {
    const principal = authenticate(headers.get("authorization"), scheme, keyRing());
    onUse(principal.keyId);
    return principal;
  };
}

const answerSchema = z
  .looseObject({
    user: z.string().regex(/^\P{Cc}{1,128}$/u),
    projects: z.array(z.string().regex(PROJECT_PATTERN, PROJECT_PATTERN_RULE)),
    can: z.enum(RIGHTS).default("admin"),
  })
  .nullish();

/** Asks the hook at each request. */
export function byHook(hook: Authenticate): Authenticator {
  return async (request) => {
    const answer = await askedOf(hook, request);
    // Browsers show a dialog for Basic, which is of no use to a hook.
    if (answer === undefined || answer === null) throw unauthorized("bearer");
    const { user, projects, can } = answer;
    return {
      keyId: createHash("sha256").update(user, "utf8").digest("hex").slice(0, 16),
      user,
      can,
      projects,
    };
  };
}

/** An error of the hook must not be taken for one of the request. */
async function askedOf(hook: Authenticate, request: Request): Promise<z.output<typeof answerSchema>> {
  try {
    return answerSchema.parse(await hook(request));
  } catch (cause) {
    const fault = new Error("authenticate failed", { cause });
    if (cause instanceof Error && cause.stack !== undefined) fault.stack = cause.stack;
    throw fault;
  }
}
