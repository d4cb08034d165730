import {
  EvalcubeError,
  formatPath,
  IngestError,
  RequestError,
  StoreError,
  type RequestIssue,
} from "../../errors.ts";
import { ApiError, errorEnvelope } from "../../inference/errors/api-error.ts";
import { HttpError, type Failure } from "./http-error.ts";

/** Issue types that clients may need to distinguish; they become the code of the failure. */
const OWN_CODES = new Set(["invalid_cursor", "idempotency_mismatch"]);

const STATUS_OF_CODE: Readonly<Record<string, number>> = {
  conflict: 409,
  payload_too_large: 413,
  not_found: 404,
  model_not_found: 404,
  time_limit: 422,
  result_too_large: 422,
  unsupported_type: 422,
  statement_failed: 422,
  unsupported_on_backend: 501,
  no_file: 501,
};

/** The header that has the code of an error of the library, which plain bodies do not tell apart from others. */
const CODE_HEADER = "x-evalcube-code";

/** The answer to what would write, where the database was opened for reading. */
const READ_ONLY: Failure = {
  status: 403,
  reason: "This service only reads its database, and stores nothing.",
  type: "permission_error",
  code: "read_only",
  param: null,
  headers: { [CODE_HEADER]: "read_only" },
};

/**
 * Describes an error to the caller. `part` is the part of the request that issues are located in. An unexpected error
 * becomes a 500 without details.
 */
export function describeFailure(error: unknown, part: "body" | "query", requestId: string): Failure {
  if (error instanceof HttpError) return error.failure;
  if (error instanceof ApiError) return ofApiError(error);
  if (error instanceof RequestError) return ofRequestError(error, part);
  if (error instanceof IngestError) return ofIngestError(error);
  if (error instanceof EvalcubeError && STATUS_OF_CODE[error.code] !== undefined) {
    const status = STATUS_OF_CODE[error.code] ?? 500;
    const type = status === 404 ? "not_found_error" : "invalid_request_error";
    const headers: Record<string, string> = {
      [CODE_HEADER]: error.code,
      ...(status === 501 ? { "x-should-retry": "false" } : {}),
    };
    return { status, reason: error.message, type, code: error.code, param: null, headers };
  }
  if (error instanceof EvalcubeError && error.code === "read_only") return READ_ONLY;
  if (isStoreFault(error)) return ofStoreFault(error, requestId);
  if (error instanceof StoreError) return ofDatabase(requestId);
  const reason = `Something went wrong on our side (request ${requestId}).`;
  return { status: 500, reason, type: "api_error", code: "internal_error", param: null, headers: {} };
}

/**
 * Answers to faults of the disk or the database, keyed by the code of a `StoreError`; the log holds the details.
 */
const STORE_FAULTS: Readonly<Record<string, { readonly status: number; readonly reason: string }>> = {
  storage_full: {
    status: 507,
    reason: "The service has no disk space left and stored nothing of this request. Retry later",
  },
  database_stopped: {
    status: 503,
    reason: "The service lost its database and must be restarted. Retry later",
  },
  file_lost: {
    status: 503,
    reason:
      "The database file of the service was deleted or moved; nothing of this request was stored. Retry later",
  },
  interrupted: {
    status: 503,
    reason: "The service is being stopped; of a write, nothing is stored. Retry later",
  },
  unreachable: {
    status: 503,
    reason: "The service cannot reach its database. Retry later",
  },
  out_of_memory: {
    status: 507,
    reason:
      "The database needs more memory for this than it may take (out_of_memory); of a write, nothing is stored. Ask for less at once, or start the service with a larger --memory-limit",
  },
};

/** Codes of want of memory that a client need not tell apart: of a statement of a user, and of a server. */
const OUT_OF_MEMORY = new Set(["memory_limit"]);

/** A message of a database may quote what it holds. */
function ofDatabase(requestId: string): Failure {
  const reason = `The database of the service failed at this request (request ${requestId}).`;
  return { status: 500, reason, type: "api_error", code: "storage_error", param: null, headers: {} };
}

export function isStoreFault(error: unknown): error is EvalcubeError {
  return error instanceof EvalcubeError && STORE_FAULTS[codeOf(error)] !== undefined;
}

function codeOf({ code }: EvalcubeError): string {
  return OUT_OF_MEMORY.has(code) ? "out_of_memory" : code;
}

function ofStoreFault(error: EvalcubeError, requestId: string): Failure {
  const code = codeOf(error);
  const { status, reason } = STORE_FAULTS[code] ?? { status: 500, reason: "" };
  return {
    status,
    reason: `${reason} (request ${requestId}).`,
    type: "api_error",
    code,
    param: null,
    headers: { "retry-after": "60" },
  };
}

function ofApiError(error: ApiError): Failure {
  const { status, type, code, param, shouldRetry, retryAfterSeconds } = error.facts;
  const headers: Record<string, string> = {};
  if (shouldRetry !== undefined) headers["x-should-retry"] = String(shouldRetry);
  if (retryAfterSeconds !== undefined) headers["retry-after"] = String(retryAfterSeconds);
  return { status, reason: error.message, type, code, param: param ?? null, headers };
}

function ofRequestError(error: RequestError, part: "body" | "query"): Failure {
  const first = error.issues[0];
  const code = first !== undefined && OWN_CODES.has(first.type) ? first.type : "validation_error";
  const param = error.path.length === 0 ? null : formatPath(error.path);
  const detail = error.issues.map((issue) => ({ ...issue, loc: [part, ...issue.loc] }));
  const common = { reason: error.message, type: "invalid_request_error", param };
  return error.kind === "schema"
    ? { ...common, status: 422, code, detail, headers: {} }
    : { ...common, status: 400, code: first?.type ?? null, headers: issuesHeader(detail) };
}

/** The header that has the issues of a request without meaning, whose body tells them as a sentence alone. */
const ISSUES_HEADER = "x-evalcube-issues";

/** Proxies take no longer header. */
const MOST_ISSUES = 3000;

function issuesHeader(detail: readonly RequestIssue[]): Readonly<Record<string, string>> {
  const text = encodeURIComponent(JSON.stringify(detail));
  return text.length > MOST_ISSUES ? {} : { [ISSUES_HEADER]: text };
}

/** A record of a body of lines. */
function ofIngestError({ message, path, position, cause, code }: IngestError): Failure {
  const msg = cause instanceof Error ? cause.message : message;
  const detail = [{ loc: ["body", position, ...path], msg, type: code }];
  return {
    status: 422,
    reason: message,
    type: "invalid_request_error",
    code,
    param: null,
    detail,
    headers: {},
  };
}

/**
 * Writes one of the two body formats, `{"error":{…}}` on `/v1` and `{"reason":…}` elsewhere, each with `detail` if
 * there is any.
 */
export function failureBody(failure: Failure, family: "v1" | "plain"): string {
  const { reason, detail, rights } = failure;
  if (family === "plain") return JSON.stringify(plainFailure(failure));
  const { error } = errorEnvelope(reason, failure);
  return JSON.stringify({ error: { ...error, ...rights }, ...(detail === undefined ? {} : { detail }) });
}

/** Where the database is at fault, it has its code, too. */
export function plainFailure({ status, reason, code, detail, rights }: Failure) {
  return {
    reason,
    ...rights,
    ...(status > 500 && code !== null ? { code } : {}),
    ...(detail === undefined ? {} : { detail }),
  };
}
