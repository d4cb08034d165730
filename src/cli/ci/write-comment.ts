import { at, isJsonObject, type Json } from "../../model/json.ts";
import type { CommentPlace, Job } from "./job.ts";

/** How long all requests together may take. */
const PATIENCE_MS = 10_000;
const PAGE = 100;

/**
 * Writes the comment of a project on the pull request, or edits the one that it wrote before. Resolves to why there is
 * none; null where there is.
 */
export async function writeComment(
  place: Job["place"],
  marker: string,
  body: string,
): Promise<string | null> {
  if (typeof place === "string") return place;
  const ask = asking(place, AbortSignal.timeout(PATIENCE_MS));
  try {
    const own = await ownComment(ask, place, marker);
    const path = own === null ? place.comments : `${place.comment}${own}`;
    await ask(own === null ? "POST" : place.change, path, { body });
    return null;
  } catch (error) {
    if (error instanceof Refused) return error.message;
    if (error instanceof Error && error.name === "TimeoutError")
      return `no answer in ${PATIENCE_MS / 1000} s`;
    // The message of another error may quote a header.
    return "the API cannot be reached, or its answer is none";
  }
}

/** The line that tells the comment of a project from others. */
export function markerOf(project: string): string {
  const escaped = project.replaceAll(/[&<>]|-(?=-|$)/g, (one) => `&#${one.codePointAt(0)};`);
  return `<!-- evalcube:${escaped} -->`;
}

class Refused extends Error {
  readonly isRefusal = true;
}

type Ask = (method: string, path: string, body?: object) => Promise<Json>;

/** Asks the API; the token goes nowhere else, so no redirect is followed. */
function asking({ api, headers }: CommentPlace, signal: AbortSignal): Ask {
  return async (method, path, body) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const all = { ...headers, "content-type": "application/json", "user-agent": "evalcube" };
    const answer = await fetch(`${api}${path}`, {
      method,
      headers: all,
      signal,
      redirect: "manual",
      ...sent,
    });
    if (answer.ok) return (await answer.json()) as Json;
    await answer.body?.cancel();
    throw new Refused(`${method} ${path.split("?", 1)[0]} was answered with ${answer.status}`);
  };
}

/** The id of the comment with the marker that is the token's own; null where there is none. */
async function ownComment(ask: Ask, place: CommentPlace, marker: string): Promise<number | null> {
  const me = await ask("GET", "/user").then(accountOf, (error: unknown) => {
    if (error instanceof Refused) return "github-actions[bot]";
    throw error;
  });
  for (let page = 1; ; page++) {
    const list = await ask("GET", `${place.comments}?per_page=${PAGE}&page=${page}`);
    const comments = Array.isArray(list) ? list.filter(isJsonObject) : [];
    const own = comments
      .filter(({ body = null, user, author = null }) => {
        const isMarked = typeof body === "string" && body.startsWith(marker);
        return isMarked && accountOf(user ?? author) === me;
      })
      .flatMap(({ id = null }) => (typeof id === "number" && Number.isSafeInteger(id) && id > 0 ? [id] : []))
      .at(0);
    if (own !== undefined) return own;
    if (comments.length < PAGE) return null;
  }
}

function accountOf(user: unknown): unknown {
  return at(user, "login") ?? at(user, "username");
}
