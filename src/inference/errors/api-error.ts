import { EvalcubeError } from "../../errors.ts";

/** The facts that a `/v1` client receives beside the message. */
interface ApiErrorFacts {
  readonly status: number;
  readonly type: string;
  readonly code: string | null;
  readonly param?: string | null;
  /** `x-should-retry`, read by the OpenAI SDKs. */
  readonly shouldRetry?: boolean;
  /** `Retry-After`, in seconds. */
  readonly retryAfterSeconds?: number;
}

/** An error in the terms of the OpenAI error envelope. */
export class ApiError extends EvalcubeError {
  readonly facts: ApiErrorFacts;

  constructor(message: string, facts: ApiErrorFacts, options?: ErrorOptions) {
    super(facts.code ?? facts.type, message, options);
    this.facts = facts;
  }
}

/** Builds `{"error":{message,type,param,code}}`, the body of every `/v1` error and of error frames in streams. */
export function errorEnvelope(message: string, facts: Pick<ApiErrorFacts, "type" | "code" | "param">) {
  return { error: { message, type: facts.type, param: facts.param ?? null, code: facts.code } };
}

/** A member of the request is missing or has an invalid value. */
export function invalidMember(param: string, message: string, code = "invalid_value"): ApiError {
  return new ApiError(message, { status: 400, type: "invalid_request_error", code, param });
}

/** The upstream was never reached, so it is safe to send the request again. */
export function upstreamUnreachable(cause?: unknown): ApiError {
  return new ApiError(
    "The model server cannot be reached.",
    { status: 502, type: "api_error", code: "upstream_unreachable", shouldRetry: true },
    { cause },
  );
}

/** The upstream broke off after it had received the request, which it may have processed. */
export function upstreamBroken(cause?: unknown): ApiError {
  return new ApiError(
    "The model server broke off before it answered.",
    { status: 502, type: "api_error", code: "upstream_error", shouldRetry: false },
    { cause },
  );
}

/** The upstream broke off in the middle of a stream. */
export function upstreamStreamBroken(): ApiError {
  return new ApiError("The model server broke off in the middle of its answer.", {
    status: 502,
    type: "api_error",
    code: "upstream_stream_error",
    shouldRetry: false,
  });
}

/** The upstream stayed silent for too long. */
export function upstreamTimeout(cause?: unknown): ApiError {
  return new ApiError(
    "The model server did not answer in time.",
    { status: 504, type: "api_error", code: "upstream_timeout", shouldRetry: false },
    { cause },
  );
}

/** The client went away, so nobody reads this answer. */
export function clientGone(cause?: unknown): ApiError {
  return new ApiError(
    "The client closed the request.",
    { status: 499, type: "api_error", code: "client_closed_request" },
    { cause },
  );
}

/** The service is about to stop. */
export function shuttingDown(): ApiError {
  return new ApiError("The service is shutting down.", {
    status: 503,
    type: "api_error",
    code: "overloaded",
    retryAfterSeconds: 1,
  });
}
