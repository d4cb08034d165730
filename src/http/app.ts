import { Hono } from "hono";
import { clientGone } from "../inference/api-error.ts";
import { BodyTooLarge, lingeringBody } from "./body.ts";
import { authenticate } from "./credentials.ts";
import { mountEvalResults } from "./eval-results-routes.ts";
import { describeFailure, failureBody } from "./failures.ts";
import { mountFeedback } from "./feedback-routes.ts";
import { unknownPath } from "./http-error.ts";
import { mountInference } from "./inference-routes.ts";
import { mountPublic } from "./public-routes.ts";
import { jsonAnswer, type Service, type ServiceContext, type ServiceEnv } from "./service.ts";
import { mountTraining } from "./training-routes.ts";

/** Every route below `basePath`, and what is answered when none matches or one throws. */
export function createApp(service: Service, basePath: string): Hono<ServiceEnv> {
  const base = basePath.replace(/\/+$/, "");
  const app = new Hono<ServiceEnv>({ strict: true }).basePath(base === "" ? "/" : base);
  mountPublic(app, service, base === "" ? "/" : base);
  mountEvalResults(app, service);
  mountFeedback(app, service);
  mountInference(app, service);
  mountTraining(app, service);
  app.notFound((context) => {
    // Without a key nobody learns which paths exist below /v1.
    const header = context.req.raw.headers.get("authorization");
    if (familyOf(context, base) === "v1") authenticate(header, "bearer", service.keyRing());
    throw unknownPath();
  });
  app.onError((error, context) => answerFailure(error, context, base));
  return app;
}

function familyOf(context: ServiceContext, base: string): "v1" | "plain" {
  const path = context.req.path.slice(base.length);
  return path === "/v1" || path.startsWith("/v1/") ? "v1" : "plain";
}

function answerFailure(error: unknown, context: ServiceContext, base: string): Response {
  const { trace } = context.env;
  // Whatever it was that failed, nobody waits for the answer any more.
  const cause = context.req.raw.signal.aborted ? clientGone(error) : error;
  const failure = describeFailure(cause, trace.issuePart, trace.requestId);
  if (failure.status === 500) trace.fault(error);
  const body = failureBody(failure, familyOf(context, base));
  const answer = jsonAnswer(body, failure.headers, failure.status);
  if (!(error instanceof BodyTooLarge) || error.rest === undefined) return answer;
  return new Response(lingeringBody(body, error.rest), { status: failure.status, headers: answer.headers });
}
