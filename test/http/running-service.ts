import { pino } from "pino";
import { expect } from "vitest";
import { createHttpHandler, type HandlerOptions } from "../../src/http/handler.ts";
import { generateKey, type KeysFile } from "../../src/http/keys/key-ring.ts";
import { serveHttp, type RunningService } from "../../src/http/node/serve.ts";
import type { ServiceEngine } from "../../src/http/routes/service.ts";
import type { InferenceConfigInput } from "../../src/inference/settings/config.ts";
import type { UsageRecord } from "../../src/inference/usage/usage.ts";
import type { Training } from "../../src/training/training.ts";
import { openMemoryRecords } from "../support/record-database.ts";

/** A service on loopback, with everything that a test may look at. */
export interface TestService extends RunningService {
  /** Key of user `ann`, for the projects `acme/*`. */
  readonly key: string;
  readonly usage: UsageRecord[];
  /** Every line that was logged, as written. */
  readonly log: string[];
  readonly training: Training;
  readonly reloadKeys: () => void;
  readonly interrupt: () => void;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** A chat completion with the test's key. */
  chat(body: unknown, init?: ChatInit): Promise<Response>;
}

interface ChatInit {
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

type Results = Omit<ServiceEngine, "feedback" | "training" | "usage" | "ingestCalls">;

/** The part of an engine that holds no evaluation. */
export const NO_RESULTS: Results = {
  streamEvalResults: () => piecesOf('{"rows":[]}'),
  queryColumns: () => {
    throw new Error("there are no results");
  },
  queryEvalResults: () => Promise.reject(new Error("there are no results")),
  compareEvaluations: async () => ({
    confidence: 0.95,
    adjust: "none",
    family_size: 0,
    comparisons: [],
    changes: [],
    ranks: null,
    warnings: [],
  }),
  leaderboard: () => Promise.reject(new Error("there are no results")),
  history: () => Promise.reject(new Error("there are no results")),
  planRows: () => Promise.reject(new Error("there are no results")),
  items: () => Promise.reject(new Error("there are no results")),
  steps: () => Promise.reject(new Error("there are no results")),
  agreement: async () => {
    throw new Error("there are no results");
  },
  countEvaluations: async () => [],
  listEvaluations: async () => [],
};

export interface TestServiceOptions extends Partial<HandlerOptions> {
  readonly inference?: InferenceConfigInput;
  readonly projects?: readonly string[];
  readonly graceMs?: number;
  readonly query?: ServiceEngine["streamEvalResults"];
  /** The other answers about evaluations; without them there are none. */
  readonly results?: Partial<Results>;
  /** Keeps the records; without it they are in memory. */
  readonly records?: Pick<ServiceEngine, "feedback" | "training"> & { readonly close?: () => Promise<void> };
  readonly ingestCalls?: NonNullable<ServiceEngine["ingestCalls"]>;
}

/** In the requests of several tests; none of them may ever be logged. */
const SECRETS = ["salt-4711", "prompt-4711", "upstream-secret", "s3cret", "hunter2"];

/** What must be neither in a log line nor in a refusal, whatever the tests of a service did. */
function secretsOf({ inference }: TestServiceOptions, key: string): string[] {
  const hosts = inference?.upstreams?.map((one) => new URL(one.base_url).host);
  return [...SECRETS, key, ...(hosts ?? [])];
}

export async function startService(options: TestServiceOptions = {}): Promise<TestService> {
  const { projects = ["acme/*"], graceMs = 200, query, results, records, ingestCalls, ...handling } = options;
  const { key, entry } = generateKey("ann", projects, new Date());
  const keys: KeysFile = { version: 1, keys: [entry] };
  const usage: UsageRecord[] = [];
  const log: string[] = [];
  const { feedback, training, close } = records ?? (await openMemoryRecords());
  const engine = {
    ...NO_RESULTS,
    ...results,
    ...(query === undefined ? {} : { streamEvalResults: query }),
    feedback,
    training,
  };
  const logger = pino({ level: "trace", base: null }, { write: (line: string) => void log.push(line) });
  const handler = createHttpHandler(ingestCalls === undefined ? engine : { ...engine, ingestCalls }, {
    keys,
    logger,
    ...handling,
    inferenceOptions: {
      usage: { recordUsage: (record) => void usage.push(record) },
      ...handling.inferenceOptions,
    },
  });
  const running = await serveHttp(handler, { port: 0, graceMs });
  const refusals: Promise<string>[] = [];
  const call = async (path: string, init?: RequestInit) => {
    const response = await fetch(running.url + path, init);
    if (!response.ok) refusals.push(response.clone().text());
    return response;
  };
  return {
    ...running,
    async stop() {
      await running.stop();
      await close?.();
      const told = [...log, ...(await Promise.all(refusals))];
      for (const secret of secretsOf(options, key))
        expect(told.filter((text) => text.includes(secret))).toEqual([]);
    },
    key,
    usage,
    log,
    training,
    reloadKeys: () => handler.reloadKeys(),
    interrupt: () => handler.interrupt(),
    fetch: call,
    chat: (body, init = {}) =>
      call("/v1/chat/completions", {
        method: "POST",
        body: typeof body === "string" ? body : JSON.stringify(body),
        ...init,
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...init.headers },
      }),
  };
}

/** An answer of the engine. */
export async function* piecesOf(...pieces: readonly string[]): AsyncGenerator<string, void, undefined> {
  yield* pieces;
}

/** Basic credentials with the key as the password. */
export function basic(key: string, user = "api"): string {
  return `Basic ${Buffer.from(`${user}:${key}`).toString("base64")}`;
}
