import { PROJECT_ID } from "../../model/project-id.ts";
import { firstAndMore, shown } from "../../model/messages.ts";
import { isEnough, type Right } from "../../model/rights.ts";
import type { Caller } from "../../training/ownership.ts";
import { forbidden, HttpError, needsRight, unauthorized } from "../errors/http-error.ts";
import { type KeyRing, mayUse, type Principal } from "./key-ring.ts";

/** Authentication scheme: Basic for feedback and evaluation results, Bearer for `/v1`, either for agents. */
export type Scheme = "basic" | "bearer" | "any";

/** Longer headers cannot hold a key of the service and are not hashed. */
const MAX_LENGTH = 4096;

/**
 * Identifies the sender of an `Authorization` header; throws 401 for anything but a known key in the endpoint's own
 * scheme. It reads only the header, so that it can run before the body is read.
 */
export function authenticate(header: string | null, scheme: Scheme, keyRing: KeyRing): Principal {
  const match =
    header === null || header.length > MAX_LENGTH ? null : /^([A-Za-z]+) +(\S+)$/.exec(header.trim());
  const sent = match?.[1]?.toLowerCase();
  const isRight = scheme === "any" ? sent === "basic" || sent === "bearer" : sent === scheme;
  if (match === null || !isRight) throw unauthorized(scheme);
  const principal = sent === "bearer" ? keyRing(match[2] ?? "") : basicPrincipal(match[2] ?? "", keyRing);
  if (principal === undefined) throw unauthorized(scheme);
  return principal;
}

/** Basic credentials hold the key as the password; the user name is the key's user or `api`. */
function basicPrincipal(encoded: string, keyRing: KeyRing): Principal | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return undefined;
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const colon = text.indexOf(":");
  const principal = keyRing(text.slice(colon + 1));
  const user = text.slice(0, Math.max(colon, 0));
  return colon >= 0 && (user === "api" || user === principal?.user) ? principal : undefined;
}

/** Throws 403 unless the key covers the project. */
export function checkProject(principal: Principal, projectId: string): void {
  if (!mayUse(principal, projectId)) throw forbidden(projectId);
}

/** Throws 403 unless the key covers every project that there is or may be. */
export function checkAllProjects({ projects }: Principal): void {
  if (projects.includes("*")) return;
  const reason = `This concerns all projects (*), and this key may use only ${firstAndMore(projects, 5)}.`;
  throw new HttpError(403, null, reason, { type: "permission_error" });
}

/** Throws 403 unless the key may do what needs this right. */
export function checkRight({ can }: Principal, need: Right): void {
  if (!isEnough(can, need)) throw needsRight(need, can);
}

/** The key's user as the caller that owns training records. */
export function callerOf(principal: Principal): Caller {
  return { userId: principal.user, mayUse: (projectId) => mayUse(principal, projectId) };
}

/**
 * The project that a `/v1` request is counted for, from `OpenAI-Project` or the configured header, which must agree
 * when both are sent; null without either.
 */
export function projectOf(headers: Headers, alias: string | undefined, principal: Principal): string | null {
  const names = ["openai-project", ...(alias === undefined ? [] : [alias])];
  const values = new Set(names.map((name) => headers.get(name)).filter((value) => value !== null));
  const [value, other] = values;
  if (value === undefined) return null;
  const project = decodeHeader(value);
  if (other !== undefined || !PROJECT_ID.test(project)) {
    const reason =
      other === undefined
        ? `The project header must be TEAM/PROJECT, not ${shown(project)}.`
        : "The project headers differ from each other.";
    throw new HttpError(400, "invalid_project", reason);
  }
  checkProject(principal, project);
  return project;
}

/** JavaScript decodes header bytes as Latin-1; bytes that are well-formed UTF-8 are taken as UTF-8. */
function decodeHeader(value: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.from(value, "latin1"));
  } catch {
    return value;
  }
}

/**
 * Throws 403 where a page of another site sends the request: a browser that holds a key as Basic credentials sends it
 * along. What a browser says in `Sec-Fetch-Site` counts for more than `Origin`, since a proxy may change the host.
 * Programs send neither.
 */
export function checkOwnSite({ headers, url }: Request): void {
  const site = headers.get("sec-fetch-site");
  if (site === "same-origin" || site === "none") return;
  const origin = headers.get("origin");
  if (site !== "cross-site" && (origin === null || hostOf(origin) === hostHere(headers, url))) return;
  const reason = `A page of another site (Origin: ${shown(origin)}) may not use this service.`;
  throw new HttpError(403, "foreign_origin", reason, { type: "permission_error" });
}

function hostHere(headers: Headers, url: string): string {
  return headers.get("host")?.toLowerCase() ?? new URL(url).host;
}

/** Null for an origin that has no host, such as `null`. */
function hostOf(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null;
}
