import { setTimeout as pause } from "node:timers/promises";
import type { Response } from "undici";
import { EvalcubeError, StoreError } from "../errors.ts";
import { answerFault, answerBrokenOff, credentials, notReached } from "./faults.ts";
import type { ServicePlace } from "./place.ts";
import { notOurs } from "./shape.ts";

/** A request to the service. */
interface SentRequest {
  readonly method: "GET" | "POST" | "DELETE";
  /** Below the base path, with its query; what cannot stand in a path is encoded. */
  readonly path: string;
  /** JSON, unless `type` says otherwise. */
  readonly body?: string | ReadableStream<Uint8Array>;
  readonly type?: string;
  /** The media type of what comes, where it is no JSON. */
  readonly comes?: string;
  /** Whether it may be sent again: it reads, or a repeated one changes nothing. Never one whose body is a stream. */
  readonly again: boolean;
}

/** Connections to one service. */
export interface Connection {
  readonly place: ServicePlace;
  /** Sends a request and reads its answer as a whole. Rejects with what the service says, or the reason of `signal`. */
  readonly text: (sent: SentRequest, signal: AbortSignal) => Promise<string>;
  /** The answer as it comes; what breaks off is an error. */
  readonly open: (sent: SentRequest, signal: AbortSignal) => Promise<Opened>;
  readonly close: () => Promise<void>;
}

/** The begin of an answer. */
export interface Opened {
  readonly headers: Response["headers"];
  readonly chunks: AsyncIterable<Uint8Array>;
}

const ATTEMPTS = 3;
/** Before the second attempt; before the third, four times as long. */
const PAUSE_MS = 100;
/** Of proxies, and of services that stop or have much to do. */
const PASSING = new Set([502, 503, 504]);

/** A failure that may have gone a moment later. */
class Passing extends Error {
  readonly fault: EvalcubeError;

  constructor(fault: EvalcubeError) {
    super(fault.message);
    this.fault = fault;
  }
}

/** Opens connections when they are first needed; proxies are those of the environment. */
export async function connectTo(place: ServicePlace): Promise<Connection> {
  // Whichever of Node's own copy of undici and this one loads first serves every `fetch` of the process, and this one
  // refuses requests that Node's makes. Reading a global of Node's copy loads it.
  void globalThis.Response;
  const { EnvHttpProxyAgent, fetch } = await import("undici");
  const dispatcher = new EnvHttpProxyAgent({ headersTimeout: 0, bodyTimeout: 0, maxHeaderSize: 1024 * 1024 });
  const once = async (sent: SentRequest, signal: AbortSignal) => {
    const reply = await fetch(place.base + sent.path, {
      ...initOf(place, sent, signal),
      dispatcher,
    }).catch((error: unknown) => failed(notReached(place, error), signal));
    const fault = await answerFault(place, sent, reply).catch((error: unknown) =>
      failed(answerBrokenOff(place, error), signal),
    );
    if (fault === null) return reply;
    throw PASSING.has(reply.status) ? new Passing(fault) : fault;
  };
  return {
    place,
    text: (sent, signal) =>
      several(sent, signal, async () => {
        const reply = await once(sent, signal);
        return await reply.text().catch((error: unknown) => failed(answerBrokenOff(place, error), signal));
      }),
    open: async (sent, signal) => {
      const { headers, body } = await several(sent, signal, () => once(sent, signal));
      if (!(headers.get("content-type") ?? "").startsWith(sent.comes ?? "")) throw notOurs(place);
      return { headers, chunks: chunksOf(place, body, signal) };
    },
    close: () => dispatcher.destroy(),
  };
}

function initOf(
  { key }: ServicePlace,
  { method, body, type = "application/json" }: SentRequest,
  signal: AbortSignal,
) {
  const headers = {
    accept: "*/*",
    authorization: `Basic ${credentials(key)}`,
    ...(body === undefined ? {} : { "content-type": type }),
  };
  const init = { method, headers, signal, redirect: "manual" } as const;
  if (body === undefined) return init;
  return typeof body === "string" ? { ...init, body } : { ...init, body, duplex: "half" as const };
}

/** What is aborted rejects with the reason of its signal. */
function failed(fault: EvalcubeError, signal: AbortSignal): never {
  signal.throwIfAborted();
  throw new Passing(fault);
}

async function several<T>(sent: SentRequest, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Passing)) throw error;
      if (!sent.again || attempt === ATTEMPTS) throw error.fault;
    }
    await pause(PAUSE_MS * 4 ** (attempt - 1), undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

async function* chunksOf(
  place: ServicePlace,
  body: Response["body"],
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for await (const chunk of body ?? []) yield chunk as Uint8Array;
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof StoreError ? error : answerBrokenOff(place, error);
  }
}
