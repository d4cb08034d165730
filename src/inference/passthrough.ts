import { stopWith } from "../flow/stop-with.ts";
import { createHmac } from "node:crypto";
import { ApiError, clientGone, invalidMember, shuttingDown, upstreamBroken } from "./errors/api-error.ts";
import { parseModelRequest, type ModelRequest } from "./request/model-request.ts";
import {
  openAccount,
  outcomeOf,
  type CompletionCall,
  type CompletionReply,
  type CompletionSink,
} from "./reply/completion.ts";
import { type Environment, type InferenceConfig, readVariable } from "./settings/config.ts";
import { exchangeCompletion, type ExchangeContext } from "./reply/exchange.ts";
import { createModelLists, type ModelListing } from "./upstream/model-list.ts";
import { bytesForUpstream } from "./request/request-edits.ts";
import type { HeaderSource } from "./upstream/request-headers.ts";
import { createRouter, requestedModel, type Router } from "./upstream/router.ts";
import { openUpstream, type Upstream } from "./upstream/upstream.ts";
import { NO_COUNTS, type UsageSink, type UsageCaller } from "./usage/usage.ts";

/** The inference endpoints, independent of HTTP on the caller's side. Refusals are thrown as `ApiError`. */
export interface Inference {
  readonly config: InferenceConfig;
  listModels(headers: HeaderSource, signal: AbortSignal): Promise<ModelListing>;
  complete(call: CompletionCall): Promise<CompletionReply>;
  /** Ends requests under way: streams with an error frame, others with a refusal. */
  interrupt(): void;
  /** Closes the connections to the model servers. */
  close(): Promise<void>;
}

/** The sinks that a passthrough reports to; `environment` holds the keys of the upstreams. */
export interface InferenceOptions {
  readonly usage?: UsageSink;
  readonly completions?: CompletionSink;
  readonly environment?: Environment;
}

/** Opens the passthrough. Nothing is sent before the first request. */
export function openInference(config: InferenceConfig, options: InferenceOptions = {}): Inference {
  const environment = options.environment ?? {};
  const upstreams = config.upstreams.map((upstream, at) =>
    openUpstream(`upstreams.${at}`, upstream, config.timeouts, environment),
  );
  const saltSecret = readVariable(environment, config.cache_salt_secret_env, "for cache salts");
  const floor: Floor = {
    saltSecret,
    router: createRouter(upstreams, createModelLists(config)),
    slots: createSlots(config.max_concurrent_per_project),
    waiting: new Set(),
    usage: options.usage,
    context: { config, completions: options.completions, relays: new Set() },
  };
  return {
    config,
    listModels: (headers, signal) => floor.router.list(headers, signal),
    complete: (call) => complete(floor, call),
    interrupt() {
      for (const relay of floor.context.relays) relay.fail(shuttingDown());
      for (const controller of floor.waiting) controller.abort(shuttingDown());
    },
    async close() {
      await Promise.all(upstreams.map(async ({ agent }) => (await agent).destroy()));
    },
  };
}

/** State that all requests of one passthrough share. */
interface Floor {
  readonly saltSecret: string | undefined;
  readonly router: Router;
  readonly slots: Slots;
  /** Requests whose reply has not begun. */
  readonly waiting: Set<AbortController>;
  readonly usage: UsageSink | undefined;
  readonly context: ExchangeContext;
}

async function complete(floor: Floor, call: CompletionCall): Promise<CompletionReply> {
  const { router, slots, context, saltSecret } = floor;
  const request = await parseModelRequest(call.body, call.endpoint);
  const model = requestedModel(request, context.config.default_model);
  const upstream = await router.route(model, call.headers, call.signal);
  checkPriority(request, upstream);
  const salt =
    saltSecret === undefined ? {} : { salt: (sent: string) => boundSalt(saltSecret, call.caller, sent) };
  const bytes = bytesForUpstream(request, { upstream: upstream.config, model, ...salt });
  const leave = slots.take(call.caller.project ?? `key ${call.caller.keyId}`);
  if (leave === undefined) throw tooMany();
  const account = openAccount(call, model, floor.usage, leave);
  const stop = stopWith(call.signal, clientGone);
  floor.waiting.add(stop);
  try {
    return await exchangeCompletion(context, { call, request, model, upstream, bytes, account, stop });
  } catch (error) {
    const known = refusalFor(error, stop.signal);
    account.close(known.facts.status, request.stream, outcomeOf(known), NO_COUNTS);
    throw known;
  } finally {
    floor.waiting.delete(stop);
  }
}

function refusalFor(error: unknown, signal: AbortSignal): ApiError {
  if (signal.aborted && signal.reason instanceof ApiError) return signal.reason;
  return error instanceof ApiError ? error : upstreamBroken(error);
}

function checkPriority(request: ModelRequest, upstream: Upstream): void {
  if (!request.prioritised || upstream.config.priority_scheduling) return;
  throw invalidMember("priority", "The model does not use priority scheduling: 'priority' must be 0.");
}

function tooMany(): ApiError {
  return new ApiError("Concurrency limit reached for requests.", {
    status: 429,
    type: "rate_limit_error",
    code: "rate_limit_exceeded",
    retryAfterSeconds: 1,
  });
}

/**
 * Binds a cache salt to its tenant, so that no other tenant can obtain it with any salt: the HMAC-SHA256 of tenant
 * and salt under the service's own secret, each preceded by its length, in base64url. The tenant is the project that
 * the request names, otherwise the user.
 */
function boundSalt(secret: string, caller: UsageCaller, salt: string): string {
  const tenant = caller.project === null ? `user ${caller.user}` : `project ${caller.project}`;
  const mac = createHmac("sha256", secret);
  for (const field of [tenant, salt]) {
    const bytes = Buffer.from(field, "utf8");
    const length = Buffer.alloc(8);
    length.writeBigUInt64BE(BigInt(bytes.length));
    mac.update(length).update(bytes);
  }
  return mac.digest("base64url");
}

type Slots = ReturnType<typeof createSlots>;

/** Slots for requests under way, at most `limit` per name; 0 means no limit. */
function createSlots(limit: number) {
  const taken = new Map<string, number>();
  const leave = (name: string) => {
    const left = (taken.get(name) ?? 1) - 1;
    if (left === 0) taken.delete(name);
    else taken.set(name, left);
  };
  return {
    /** Takes a slot and returns a function that releases it once; `undefined` when all are taken. */
    take(name: string) {
      const count = taken.get(name) ?? 0;
      if (limit > 0 && count >= limit) return undefined;
      taken.set(name, count + 1);
      let held = true;
      return () => {
        if (held) leave(name);
        held = false;
      };
    },
  };
}
