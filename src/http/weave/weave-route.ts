import type { z } from "zod";
import { stopWith } from "../../flow/stop-with.ts";
import type { CallWriteOptions } from "../../weave/calls/write-calls.ts";
import type { WeaveCaller } from "../../weave/request/seam.ts";
import type { Weave } from "../../weave/weave.ts";
import { busy, unknownPath } from "../errors/http-error.ts";
import { checkProject } from "../keys/credentials.ts";
import type { Principal } from "../keys/key-ring.ts";
import type { OperationExample } from "../openapi/operation.ts";
import { projectOfPath, readBodyText } from "../routes/read-request.ts";
import type { ProtectedRoute, RouteRequest } from "../routes/route.ts";
import type { Service } from "../routes/service.ts";
import { jsonAnswer, type Answer } from "../wire/answer.ts";
import { sizeOf } from "../../model/long-texts.ts";
import { readPackedBody } from "../wire/body.ts";
import { answerInPieces } from "../wire/streamed-answer.ts";

/**
 * Shorter than an SDK waits for an answer, so that it learns to come again; what a large body needs itself comes on
 * top.
 */
const PATIENCE_MS = 20_000;
const BYTES_A_MS = 128;

/** What a request to the adapter has. */
interface WeaveWork {
  readonly weave: Weave;
  /** With the project that the address names, if it names one. */
  readonly caller: CallWriteOptions;
  /** A body of so many bytes is there: from now on the request waits, and is given up when it has waited too long. */
  readonly wait: (bytes: number) => void;
}

/** What describes an endpoint of the SDKs. */
interface WeaveOperation {
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  readonly body: z.ZodType;
  readonly reply: z.ZodType;
  readonly example: OperationExample;
}

/** An endpoint of the SDKs, before it is a route. */
interface WeaveEndpoint extends WeaveOperation {
  /** As of a route; the bodies of others have the limit of what SDKs send to be stored. */
  readonly reads?: true;
  /** Answers the JSON text of a body with a JSON text. */
  readonly run: (text: string, work: WeaveWork) => Promise<string>;
}

/** The route of an endpoint that answers a JSON text. */
export function weaveRoute({ run, ...operation }: WeaveEndpoint): ProtectedRoute {
  return {
    method: "POST",
    access: "basic",
    ...operation,
    run: async (service, request, principal) => {
      const work = workOf(service, request, principal);
      const limit = operation.reads === true ? service.limits.other : service.limits.weave;
      const text = await readText(request, limit, work.wait);
      return jsonAnswer(await inTime(work, () => run(text, work)));
    },
  };
}

/** An endpoint whose answers may be long, before it is a route. */
interface StreamedEndpoint extends WeaveOperation {
  /** The content type of the answer; JSON where it is missing. */
  readonly replyType?: string;
  /** Answers the JSON text of a body with pieces of the answer. */
  readonly pieces: (
    text: string,
    weave: Weave,
    caller: WeaveCaller,
  ) => AsyncGenerator<string, void, undefined>;
}

/** The route of an endpoint that answers in pieces, until the client goes. */
export function streamedRoute({ pieces, ...operation }: StreamedEndpoint): ProtectedRoute {
  return {
    method: "POST",
    access: "basic",
    reads: true,
    ...operation,
    run: async (service, request, principal) => {
      const { weave, caller } = workOf(service, request, principal);
      const text = await readText(request, service.limits.other);
      const stop = stopWith(request.raw.signal);
      const { replyType: type } = operation;
      const answer = pieces(text, weave, { ...caller, signal: stop.signal });
      return answerInPieces(answer, { trace: request.trace, stop, ...(type === undefined ? {} : { type }) });
    },
  };
}

/** Reads the text of a body, which may be compressed. */
export function readText(
  request: RouteRequest,
  limit: number,
  wait: WeaveWork["wait"] = () => {},
): Promise<string> {
  return readBodyText(request, limit, async (raw, most) => {
    const body = await readPackedBody(raw, most);
    wait(sizeOf(body));
    return body;
  });
}

/**
 * The adapter of the engine, and the caller as it knows him; throws 404 where the engine has none, and 403 where the
 * address names a project that he may not use.
 */
export function workOf({ engine, limits }: Service, request: RouteRequest, principal: Principal): WeaveWork {
  if (engine.weave === undefined) throw unknownPath();
  const projectId = request.params.has("entity") ? projectOfPath(request, principal) : undefined;
  const patience = new AbortController();
  const caller: CallWriteOptions = {
    userId: principal.user,
    projectId,
    authorize(named) {
      checkProject(principal, named);
      request.trace.project = named;
    },
    maxValues: limits.values,
    maxItemBytes: limits.item,
    signal: patience.signal,
  };
  const wait = (bytes: number) =>
    void setTimeout(() => patience.abort(), PATIENCE_MS + bytes / BYTES_A_MS).unref();
  return { weave: engine.weave, caller, wait };
}

/** Answers 503 where the work was given up because it waited too long. */
export async function inTime<T extends string | Answer>(
  { caller: { signal } }: WeaveWork,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (signal?.aborted === true && error === signal.reason) throw busy(error);
    throw error;
  }
}
