import type { Logger } from "pino";
import { z } from "zod";
import type { BundledPage } from "../view-files.ts";
import { MOST_BYTES, MOST_VALUES } from "../model/json-bounds.ts";
import { checkArgument, functionOf } from "../model/arguments.ts";
import { fileFault } from "../model/messages.ts";
import { type InferenceConfigInput, inferenceConfigSchema } from "../inference/settings/config.ts";
import { type InferenceOptions, openInference } from "../inference/passthrough.ts";
import { EvalcubeError } from "../errors.ts";
import { callOfCompletion, type CompletionSink } from "../inference/reply/completion.ts";
import { type Answer, toResponse } from "./wire/answer.ts";
import { createLargeBodies, createPlaces } from "./wire/places.ts";
import type { App } from "./app.ts";
import { type Authenticate, type Authenticator, byHook, byKeys } from "./keys/authenticator.ts";
import { createKeyRing, type KeysFile, keysFileSchema } from "./keys/key-ring.ts";
import { readKeysFile } from "./keys/keys-file.ts";
import { createUseLog } from "./keys/used-keys.ts";
import type { BodyLimits, Service, ServiceEngine } from "./routes/service.ts";
import { checkContent, readSettings } from "./settings/settings-file.ts";
import { startBackups, type BackupOptions } from "./backups/timed-backups.ts";
import { startTrace } from "./log/trace.ts";
import { inSlices } from "./wire/streamed-answer.ts";

const MIB = 1024 * 1024;
const LIMITS: BodyLimits = {
  chat: 32 * MIB,
  training: 256 * MIB,
  other: 16 * MIB,
  weave: 64 * MIB,
  file: 256 * MIB,
  values: MOST_VALUES,
  item: MOST_BYTES,
};
const MAX_CONCURRENT_ANSWERS = 64;

/** Options of the service. Files are read once at the start; the keys file is read again on `reloadKeys`. */
export interface HandlerOptions {
  /** Path of the keys file, or its content. Either `keys` or `authenticate` is needed. */
  readonly keys?: string | KeysFile | undefined;
  /** Identifies the sender instead of a keys file: by the session of the server around the service, for example. */
  readonly authenticate?: Authenticate | undefined;
  /** Path of the inference file, or its content; without it there are no models. */
  readonly inference?: string | InferenceConfigInput | undefined;
  /**
   * Sinks of usage and completions that replace the engine's, and the environment that holds the upstreams' keys.
   */
  readonly inferenceOptions?: InferenceOptions | undefined;
  /** Path prefix of the service, such as `/evals`. */
  readonly basePath?: string | undefined;
  /**
   * Whether the page is served, at `view/` below the base path; default false. It asks its reader for a key of `keys`.
   * `own-key`: one user, whose tabs share the key, as with `evalcube view`.
   */
  readonly view?: boolean | "own-key" | undefined;
  /** Largest accepted bodies: in bytes, and in JSON values. */
  readonly limits?: Partial<BodyLimits> | undefined;
  /** How many answers that read the database are made and sent at once; the rest waits in order. Default 64. */
  readonly maxConcurrentAnswers?: number | undefined;
  /** Backups of the whole database that the service makes by itself; the engine must have `backup`. */
  readonly backup?: BackupOptions | undefined;
  /** Logs one line per request; nothing is logged without it. */
  readonly logger?: Logger | undefined;
}

/** The service as a function from request to response, with methods for its owner. */
export interface HttpHandler {
  (request: Request): Promise<Response>;
  /** Answers a request for a server that writes the answer itself. */
  answer(request: Request): Promise<Answer>;
  /** Reads the keys file again; throws on a bad file and keeps the previous keys. Does nothing without one. */
  reloadKeys(): void;
  /** Ends completions under way; streams end with an error frame. */
  interrupt(): void;
  /**
   * Closes the connections to the model servers and waits for completions that are being recorded; the engine stays
   * open.
   */
  close(): Promise<void>;
}

const bytes = z.number().min(0).optional();

/** Checks names and types only; the content of files is checked when they are read. */
const optionsShape = z.strictObject({
  keys: z.unknown().optional(),
  authenticate: functionOf<Authenticate>().optional(),
  inference: z.unknown().optional(),
  basePath: z.string().optional(),
  view: z.union([z.boolean(), z.literal("own-key")]).optional(),
  limits: z.strictObject(Object.fromEntries(Object.keys(LIMITS).map((name) => [name, bytes]))).optional(),
  maxConcurrentAnswers: z.int().min(1).optional(),
  inferenceOptions: z
    .strictObject({
      usage: z.unknown().optional(),
      completions: z.unknown().optional(),
      environment: z.unknown().optional(),
    })
    .optional(),
  backup: z
    .strictObject({
      folder: z.string().min(1),
      everyMs: z.number().min(1000),
      keep: z.int().min(1),
      name: z
        .string()
        .regex(/^[^/\\\0]+$/, "must be a part of the name of a file")
        .optional(),
    })
    .optional(),
  logger: z.unknown().optional(),
});

const engineShape = z.looseObject({
  streamEvalResults: functionOf<ServiceEngine["streamEvalResults"]>(),
  feedback: z.looseObject({}),
  training: z.looseObject({}),
});

/**
 * Creates the service over an engine, for any server that uses `Request` and `Response`. Throws `EvalcubeError` on a
 * bad keys or inference file, and `invalid_option` unless it is given either `keys` or `authenticate`.
 */
export function createHttpHandler(engine: ServiceEngine, options: HandlerOptions): HttpHandler {
  checkArgument(engine, engineShape, ["engine"]);
  checkArgument(options, optionsShape, ["options"]);
  const { authenticate, reloadKeys } = openAuthenticator(options);
  const environment = options.inferenceOptions?.environment ?? process.env;
  const config = loadInference(options.inference);
  const recorder = config.record ? createRecorder(engine, options.logger) : undefined;
  const inference = openInference(config, {
    ...(engine.usage === undefined ? {} : { usage: engine.usage }),
    ...(recorder === undefined ? {} : { completions: recorder }),
    ...options.inferenceOptions,
    environment,
  });
  const backups = openBackups(engine, options);
  const service: Service = {
    engine,
    backup: () => backups?.state() ?? null,
    inference,
    limits: { ...LIMITS, ...options.limits },
    place: createPlaces(options.maxConcurrentAnswers ?? MAX_CONCURRENT_ANSWERS),
    authenticate,
    largeBodies: createLargeBodies(),
    ...((options.view ?? false) ? { page: { load: loadPage, ownKey: options.view === "own-key" } } : {}),
  };
  // Not imported with the package, which most programs import for the engine alone.
  const app = import("./app.ts").then(({ createApp }) => createApp(service, options.basePath ?? "/"));
  const answer = answering(app, options.logger);
  const handle = async (request: Request) => toResponse(await answer(request), request.method);
  return Object.assign(handle, {
    answer,
    reloadKeys,
    interrupt: () => inference.interrupt(),
    close: async () => {
      await backups?.close();
      await inference.close();
      await recorder?.settled();
    },
  });
}

function openBackups(engine: ServiceEngine, { backup: options, logger }: HandlerOptions) {
  if (options === undefined) return undefined;
  const { backup } = engine;
  if (backup === undefined)
    throw new EvalcubeError("invalid_option", "backup: the engine has no function of this name");
  return startBackups(backup, options, logger);
}

/** Answers and logs; a long answer is logged when its client has taken it. */
function answering(app: Promise<App>, logger: Logger | undefined): HttpHandler["answer"] {
  return async (request) => {
    const trace = startTrace(request, logger);
    const whole = await (await app)(request, trace);
    const answered = request.method === "HEAD" ? whole : inSlices(whole, trace);
    const { status, headers } = answered;
    if (!trace.deferred) trace.end(status, Number(headers["content-length"] ?? 0));
    return { ...answered, headers: { ...headers, "x-request-id": trace.requestId } };
  };
}

/** Imports the files where they are asked for, since nothing else needs them. */
async function loadPage(): Promise<BundledPage> {
  const { viewFiles } = await import("../view-files.ts");
  return (await viewFiles()).view;
}

/** Throws the errors of `createHttpHandler` about its files, without an engine. */
export function checkHandlerFiles(options: Pick<HandlerOptions, "keys" | "inference">): void {
  openAuthenticator(options);
  loadInference(options.inference);
}

function openAuthenticator({
  keys,
  authenticate,
  logger,
}: Pick<HandlerOptions, "keys" | "authenticate" | "logger">): {
  readonly authenticate: Authenticator;
  readonly reloadKeys: () => void;
} {
  if (keys === undefined && authenticate !== undefined) {
    return { authenticate: byHook(authenticate), reloadKeys: () => {} };
  }
  if (keys === undefined || authenticate !== undefined) {
    const given = keys === undefined ? "none is given" : "both are given";
    const message = `createHttpHandler takes either keys (the path of a keys file, or its content) or authenticate as an option, and ${given}`;
    throw new EvalcubeError("invalid_option", message);
  }
  const first = loadKeys(keys);
  const older = first.keys.filter(({ can }) => can === undefined).map(({ id }) => id);
  if (older.length > 0)
    logger?.warn(
      { keys: older },
      "keys whose entry has no `can` may do all that `admin` can; add it to them",
    );
  let keyRing = createKeyRing(first);
  const reloadKeys = () => {
    keyRing = createKeyRing(loadKeys(keys));
  };
  const onUse = typeof keys === "string" ? createUseLog(keys, unkept(logger)) : () => {};
  return { authenticate: byKeys(() => keyRing, onUse), reloadKeys };
}

function unkept(logger: Logger | undefined) {
  return (error: unknown) => logger?.warn({ error: fileFault(error) }, "the last use of a key is not kept");
}

function loadKeys(keys: string | KeysFile): KeysFile {
  return typeof keys === "string" ? readKeysFile(keys) : checkContent(keys, keysFileSchema, "keys");
}

function loadInference(inference: HandlerOptions["inference"]) {
  if (typeof inference === "string") return readSettings(inference, inferenceConfigSchema, "inference file");
  return checkContent(inference ?? {}, inferenceConfigSchema, "inference");
}

interface Recorder extends CompletionSink {
  /** Resolves when every completion answered so far is stored or has failed to be stored. */
  settled(): Promise<void>;
}

/** Stores served completions as calls after they have been answered. */
function createRecorder(engine: ServiceEngine, logger: Logger | undefined): Recorder {
  const { ingestCalls } = engine;
  if (ingestCalls === undefined) {
    throw new EvalcubeError("cannot_record", "Completions cannot be recorded: the engine takes no calls.");
  }
  const store = async (completion: Parameters<CompletionSink["recordCompletion"]>[0]) => {
    const call = callOfCompletion(completion);
    if (call !== null) await ingestCalls([call]);
  };
  const storing = new Set<Promise<void>>();
  return {
    recordCompletion(completion) {
      const work = store(completion)
        .catch((error: unknown) => {
          const name = error instanceof Error ? error.name : typeof error;
          logger?.error({ request_id: completion.requestId, error: name }, "a completion was not recorded");
        })
        .finally(() => storing.delete(work));
      storing.add(work);
    },
    settled: async () => void (await Promise.all(storing)),
  };
}
