import type { Logger } from "pino";
import { z } from "zod";
import { checkArgument, functionOf } from "../model/arguments.ts";
import { inferenceConfigSchema, type InferenceConfigInput } from "../inference/settings/config.ts";
import { openInference, type InferenceOptions } from "../inference/passthrough.ts";
import { toResponse, type Answer } from "./wire/answer.ts";
import { createApp } from "./app.ts";
import { createRecorder } from "./routes/recorder.ts";
import { createKeyRing, keysFileSchema, type KeyRing, type KeysFile } from "./keys/key-ring.ts";
import { readKeysFile } from "./keys/keys-file.ts";
import type { BodyLimits, Service, ServiceEngine } from "./routes/service.ts";
import { checkSettings, readSettings } from "./settings/settings-file.ts";
import { startTrace } from "./log/trace.ts";

const MIB = 1024 * 1024;
const LIMITS: BodyLimits = { chat: 32 * MIB, training: 256 * MIB, other: 16 * MIB };

/** How to make the service. Files are read once, at the start; keys again on `reloadKeys`. */
export interface HandlerOptions {
  /** Path of the keys file, or what would be in it. */
  readonly keys: string | KeysFile;
  /** Path of the inference file, or what would be in it; without it there are no models. */
  readonly inference?: string | InferenceConfigInput;
  /** Where usage and completions go instead of the engine, and the environment that holds the upstreams' keys. */
  readonly inferenceOptions?: InferenceOptions;
  /** Where the service begins, such as `/evals`. */
  readonly basePath?: string;
  /** Longest bodies in bytes. */
  readonly limits?: Partial<BodyLimits>;
  /** One line a request; silent without it. */
  readonly logger?: Logger;
}

/** The service as a function of a request, with what its owner may do to it. */
export interface HttpHandler {
  (request: Request): Promise<Response>;
  /** The same for a server that writes the answer itself. */
  answer(request: Request): Promise<Answer>;
  /** Reads the keys file again; on a bad file throws, and the keys stay as they were. */
  reloadKeys(): void;
  /** Ends completions under way, streams with an error frame. */
  interrupt(): void;
  /** Closes the connections to the model servers, and waits for what is being recorded; the engine stays open. */
  close(): Promise<void>;
}

const bytes = z.number().min(0).optional();

/** Types alone; what the files hold is checked when they are read. */
const optionsShape = z.looseObject({
  basePath: z.string().optional(),
  limits: z.looseObject({ chat: bytes, training: bytes, other: bytes }).optional(),
  inferenceOptions: z.looseObject({}).optional(),
});

const engineShape = z.looseObject({
  streamEvalResults: functionOf<ServiceEngine["streamEvalResults"]>(),
  feedback: z.looseObject({}),
  training: z.looseObject({}),
});

/**
 * The service over an engine, mountable in any server that speaks `Request` and `Response`. Throws
 * `EvalcubeError` on a bad keys or inference file.
 */
export function createHttpHandler(engine: ServiceEngine, options: HandlerOptions): HttpHandler {
  checkArgument(engine, engineShape, ["engine"]);
  checkArgument(options, optionsShape, ["options"]);
  let keyRing = loadKeys(options.keys);
  const environment = options.inferenceOptions?.environment ?? process.env;
  const config = loadInference(options.inference);
  const recorder = config.record ? createRecorder(engine, options.logger) : undefined;
  const inference = openInference(config, {
    ...(engine.usage === undefined ? {} : { usage: engine.usage }),
    ...(recorder === undefined ? {} : { completions: recorder }),
    ...options.inferenceOptions,
    environment,
  });
  const service: Service = {
    engine,
    inference,
    limits: { ...LIMITS, ...options.limits },
    keyRing: () => keyRing,
  };
  const app = createApp(service, options.basePath ?? "/");
  const answer = async (request: Request): Promise<Answer> => {
    const trace = startTrace(request, options.logger);
    const answered = await app(request, trace);
    const { status, headers } = answered;
    if (!trace.deferred) trace.end(status, Number(headers["content-length"] ?? 0));
    return { ...answered, headers: { ...headers, "x-request-id": trace.requestId } };
  };
  const handle = async (request: Request) => toResponse(await answer(request), request.method);
  return Object.assign(handle, {
    answer,
    reloadKeys: () => {
      keyRing = loadKeys(options.keys);
    },
    interrupt: () => inference.interrupt(),
    close: async () => {
      await inference.close();
      await recorder?.settled();
    },
  });
}

/** Throws what `createHttpHandler` would throw of its files, without an engine. */
export function checkHandlerFiles(options: Pick<HandlerOptions, "keys" | "inference">): void {
  loadKeys(options.keys);
  loadInference(options.inference);
}

function loadKeys(keys: string | KeysFile): KeyRing {
  const file = typeof keys === "string" ? readKeysFile(keys) : checkSettings(keys, keysFileSchema, "keys");
  return createKeyRing(file);
}

function loadInference(inference: HandlerOptions["inference"]) {
  if (typeof inference === "string") return readSettings(inference, inferenceConfigSchema, "inference file");
  return checkSettings(inference ?? {}, inferenceConfigSchema, "inference settings");
}
