import { shown } from "../../model/messages.ts";
import { HttpError } from "../errors/http-error.ts";

/**
 * Throws 403 where a page of another site sends the request: a browser that holds a key as Basic credentials sends it along. What a
 * browser says in `Sec-Fetch-Site` counts for more than `Origin`, since a proxy may change the host. Programs send neither.
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
