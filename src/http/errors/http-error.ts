import { EvalcubeError, type RequestIssue } from "../../errors.ts";
import type { Right } from "../../model/rights.ts";

/** The facts that both formats of error bodies are written from. */
export interface Failure {
  readonly status: number;
  /** Human-readable message. */
  readonly reason: string;
  /** `error.type` on `/v1`, where `code` is `error.code`. */
  readonly type: string;
  readonly code: string | null;
  readonly param: string | null;
  readonly detail?: readonly RequestIssue[];
  /** What the request needs, and what the key can. */
  readonly rights?: { readonly need: Right; readonly can: Right };
  readonly headers: Readonly<Record<string, string>>;
}

/** An error that arises in the HTTP layer itself. */
export class HttpError extends EvalcubeError {
  readonly failure: Failure;

  constructor(
    status: number,
    code: string | null,
    reason: string,
    extras: Partial<Pick<Failure, "type" | "headers" | "param" | "rights">> = {},
    options?: ErrorOptions,
  ) {
    super(code ?? "http_error", reason, options);
    const type = extras.type ?? "invalid_request_error";
    this.failure = { param: null, headers: {}, ...extras, status, reason, type, code };
  }
}

/** 401 with the challenge of the endpoint's authentication scheme. */
export function unauthorized(scheme: "basic" | "bearer" | "any"): HttpError {
  const challenge = scheme === "basic" ? 'Basic realm="evalcube", charset="UTF-8"' : "Bearer";
  const wanted = scheme === "basic" ? "Basic, with a key as the password" : "Bearer, with a key";
  const reason = `Authentication failed: no valid credentials were sent. Send the header Authorization: ${wanted}.`;
  return new HttpError(401, "invalid_api_key", reason, { headers: { "www-authenticate": challenge } });
}

/** 403 for a valid key that does not cover the project. */
export function forbidden(projectId: string): HttpError {
  const shown = projectId.slice(0, 200);
  return new HttpError(403, null, `This key may not use the project ${JSON.stringify(shown)}.`, {
    type: "permission_error",
  });
}

/** 403 for a valid key that may do less than a request needs. */
export function needsRight(need: Right, can: Right): HttpError {
  const reason = `This needs a key that can ${need}; this key can only ${can === "read" ? "read" : "read and write"}.`;
  return new HttpError(403, "missing_right", reason, { type: "permission_error", rights: { need, can } });
}

/** 404 for a path that no route matches. */
export function unknownPath(): HttpError {
  return new HttpError(
    404,
    "not_found",
    "There is nothing at this path; GET /openapi.json lists those that there are.",
    { type: "not_found_error" },
  );
}

/** 503 for work that could not begin in time; nothing was stored. */
export function busy(cause: unknown): HttpError {
  const reason = "The database is busy; nothing of this request was stored. Retry in a second.";
  const headers = { "retry-after": "1" };
  return new HttpError(503, "busy", reason, { type: "api_error", headers }, { cause });
}

/** 405 with the allowed methods. */
export function methodNotAllowed(method: string, allowed: readonly string[]): HttpError {
  const allow = allowed.join(", ");
  return new HttpError(
    405,
    "method_not_allowed",
    `${method.slice(0, 20)} is not allowed here; use ${allow}.`,
    {
      headers: { allow },
    },
  );
}

/** 400 for a body that is not JSON or not UTF-8. */
export function invalidJson(reason: string, cause?: unknown): HttpError {
  return new HttpError(400, "invalid_json", reason, {}, { cause });
}

/** 415 for a media type other than JSON's, or a compressed body. */
export function unsupportedMedia(reason: string): HttpError {
  return new HttpError(415, "unsupported_media_type", reason);
}
