import type { Readable } from "node:stream";
import { type ApiError, upstreamStreamBroken, upstreamTimeout } from "../errors/api-error.ts";
import { withoutKey } from "../upstream/request-headers.ts";
import type { Outcome } from "../usage/usage.ts";
import type { CompletionProgress } from "./completion-progress.ts";
import type { Endpoint } from "./endpoints.ts";
import {
  createEventSplitter,
  type EventRun,
  isDoneEvent,
  isWholeEvent,
  MAX_HELD_BYTES,
} from "./event-splitter.ts";
import type { StreamEnd } from "./completion.ts";

const BLANK_LINE = Buffer.from("\n\n");
const DONE = Buffer.from("data: [DONE]\n\n");
const KEEP_ALIVE = Buffer.from(": keep-alive\n");
/** How long `[DONE]` may take to follow the event that ends a response; not every model server sends it. */
const GRACE_MS = 40;
/** How long the upstream may take to end its reply after `[DONE]`, so that its connection can be reused. */
const LINGER_MS = 250;

/** The limits and callbacks of a relayed stream. */
export interface RelayOptions {
  readonly endpoint: Pick<Endpoint, "follow" | "endsWithDone" | "errorFrame">;
  readonly choices: number;
  /** How long the upstream or the reader may be silent before the stream ends; 0 means no limit. */
  readonly idleMs: number;
  /** Silence after which a comment is written; 0 turns it off. */
  readonly keepAliveMs: number;
  /** Taken out of what the model server says of an error. */
  readonly apiKey?: string | undefined;
  /** Called at the first piece of content. */
  readonly onStart?: () => void;
  /** Called with the whole events that are passed on. */
  readonly onEvents?: (events: Buffer) => void;
  /** Called once, after the last byte. */
  readonly onEnd: (outcome: Outcome, progress: CompletionProgress) => void;
}

/**
 * Passes server-sent events on byte for byte as they arrive, reading no faster than the reader. The stream ends as its
 * endpoint does, with an error frame if the upstream broke off, since clients take a stream that merely ends for a
 * success.
 */
export class CompletionRelay {
  readonly stream: ReadableStream<Uint8Array>;
  /** Settles after the last byte, or once the stream has no reader. */
  readonly ended: Promise<StreamEnd>;
  readonly #source: Readable;
  readonly #options: RelayOptions;
  readonly #splitter = createEventSplitter();
  readonly #progress: CompletionProgress;
  readonly #clocks;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #end: ((end: StreamEnd) => void) | undefined;
  #grace: NodeJS.Timeout | undefined;
  #settled = false;
  #started = false;
  #bytes = 0;
  /** Whether part of an event longer than the hold-back limit has been passed on. */
  #midEvent = false;

  constructor(source: Readable, options: RelayOptions) {
    this.#source = source;
    this.#options = options;
    this.#progress = options.endpoint.follow(options.choices);
    this.#clocks = createRelayClocks(options, {
      idle: () => this.fail(upstreamTimeout()),
      stalled: () => this.#breakOff(),
      keepAlive: () => this.#midEvent || this.#write(KEEP_ALIVE),
    });
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => this.#listen(controller),
        pull: () => this.#listenAgain(),
        cancel: () => {
          this.#controller = undefined;
          this.#settle("aborted");
        },
      },
      { highWaterMark: 1 },
    );
  }

  /** Ends the stream immediately with an error frame, unless the upstream has already sent its own. */
  fail(error: ApiError): void {
    if (this.#settled) return;
    if (this.#grace !== undefined) return this.#finish("", "ok");
    if (this.#midEvent) this.#write(BLANK_LINE);
    this.#finish(this.#progress.failed ? "" : this.#options.endpoint.errorFrame(error), "failed");
  }

  /** Ends the stream without an error frame, since the client has gone. */
  abandon(): void {
    this.#settle("aborted");
  }

  /**
   * Breaks the stream off when the reader reads nothing: it cannot receive an error frame and must not take a partial
   * stream for a whole one.
   */
  #breakOff(): void {
    const controller = this.#controller;
    this.#controller = undefined;
    this.#settle("aborted");
    controller?.error(new Error("The client takes nothing."));
  }

  #listen(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#controller = controller;
    this.#source.on("data", (chunk: Buffer) => this.#receive(chunk));
    this.#source.on("end", () => this.#receiveEnd());
    this.#source.on("error", () => this.fail(upstreamStreamBroken()));
    this.#source.on("close", () => this.fail(upstreamStreamBroken()));
    this.#source.pause();
  }

  #listenAgain(): void {
    // A keep-alive comment that the reader takes does not count as data from the upstream.
    if (this.#settled || !this.#source.isPaused()) return;
    this.#clocks.heard();
    this.#source.resume();
  }

  #receive(chunk: Buffer): void {
    if (this.#settled) return;
    this.#clocks.heard();
    for (const run of this.#splitter.push(chunk)) {
      this.#pass(run);
      if (this.#progress.done) return this.#conclude();
    }
    const { heldBytes } = this.#splitter;
    if (heldBytes < 20 && isDoneEvent(this.#splitter.tail())) {
      this.#pass({ pieces: [DONE], ends: [DONE.length] });
      return this.#conclude();
    }
    const { failed, finished } = this.#progress;
    if ((failed || finished) && !this.#options.endpoint.endsWithDone)
      this.#grace ??= setTimeout(() => this.#conclude(), GRACE_MS);
    if (heldBytes > (this.#midEvent ? 0 : MAX_HELD_BYTES)) {
      this.#midEvent = true;
      for (const piece of this.#splitter.takeTail()) this.#write(piece);
    }
    if ((this.#controller?.desiredSize ?? 0) <= 0) {
      this.#source.pause();
      this.#clocks.waitForReader();
    }
  }

  #receiveEnd(): void {
    if (this.#settled) return;
    const tail = Buffer.concat(this.#splitter.takeTail());
    if (isWholeEvent(tail))
      this.#pass({ pieces: [tail, BLANK_LINE], ends: [tail.length + BLANK_LINE.length] });
    this.#conclude();
  }

  /** Ends the stream when nothing more comes: as a whole answer, or as one that broke off. */
  #conclude(): void {
    const { done, failed, finished } = this.#progress;
    if (!failed && !finished) return this.fail(upstreamStreamBroken());
    this.#finish(failed || done || !this.#options.endpoint.endsWithDone ? "" : DONE, "ok");
  }

  /** Reads events up to `[DONE]` and passes on those that have been read. */
  #pass({ pieces, ends }: EventRun): void {
    const read = ends.length === 1 ? this.#readEvent(pieces) : pieces.map((piece) => this.#read(piece, ends));
    this.#midEvent = false;
    const { apiKey } = this.#options;
    const passed = this.#progress.failed ? [withoutKey(Buffer.concat(read), apiKey)] : read;
    for (const piece of passed) {
      this.#write(piece);
      this.#options.onEvents?.(piece);
    }
    if (this.#started || !this.#progress.started) return;
    this.#started = true;
    this.#options.onStart?.();
  }

  #readEvent(pieces: readonly Buffer[]): readonly Buffer[] {
    this.#progress.see(pieces);
    return this.#isCut() ? [] : pieces;
  }

  #read(events: Buffer, ends: readonly number[]): Buffer {
    let from = 0;
    for (const end of ends) {
      this.#progress.see([events.subarray(from, end)]);
      if (this.#isCut()) break;
      from = end;
      if (this.#progress.done) break;
    }
    return events.subarray(0, from);
  }

  /**
   * Whether `[DONE]` stands where the answer is not whole; it is not passed on, since clients would take that for a
   * success.
   */
  #isCut(): boolean {
    const { done, failed, finished } = this.#progress;
    return done && !failed && !finished;
  }

  #write(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#bytes += bytes.length;
    this.#controller?.enqueue(bytes);
  }

  #finish(ending: string | Buffer, outcome: Outcome): void {
    this.#write(Buffer.from(ending));
    this.#settle(this.#progress.failed ? "failed" : outcome);
  }

  #settle(outcome: Outcome): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#clocks.stop();
    clearTimeout(this.#grace);
    if (outcome === "ok") linger(this.#source);
    else this.#source.destroy();
    this.#controller?.close();
    this.#options.onEnd(outcome, this.#progress);
    this.#end?.({ outcome, bytes: this.#bytes });
  }
}

function linger(source: Readable): void {
  const timer = setTimeout(() => source.destroy(), LINGER_MS);
  source.once("close", () => clearTimeout(timer));
  source.resume();
}

/** Longest delay that timers accept; a longer one would fire immediately. */
const NEVER_MS = 2 ** 31 - 1;

/**
 * The timers of a stream: they detect that either side is silent for too long, and silence that a comment fills. 0
 * turns an alarm off; the reader has as much time as the upstream. The keep-alive alarm repeats and does not count as
 * hearing the upstream.
 */
function createRelayClocks(
  delays: { readonly idleMs: number; readonly keepAliveMs: number },
  alarms: { readonly idle: () => void; readonly stalled: () => void; readonly keepAlive: () => void },
) {
  let idle: NodeJS.Timeout | undefined;
  let stalled: NodeJS.Timeout | undefined;
  let keepAlive: NodeJS.Timeout | undefined;
  const comment = () => {
    alarms.keepAlive();
    keepAlive?.refresh();
  };
  const stop = () => {
    clearTimeout(idle);
    clearTimeout(stalled);
    clearTimeout(keepAlive);
    idle = undefined;
    stalled = undefined;
    keepAlive = undefined;
  };
  return {
    /** Restarts the upstream's timers: it was heard, or is listened to from now on. */
    heard() {
      clearTimeout(stalled);
      stalled = undefined;
      idle = arm(idle, delays.idleMs, alarms.idle);
      keepAlive = arm(keepAlive, delays.keepAliveMs, comment);
    },
    /** Starts the reader's timer: the upstream is not listened to until the reader has taken something. */
    waitForReader() {
      stop();
      stalled = arm(undefined, delays.idleMs, alarms.stalled);
    },
    stop,
  };
}

function arm(timer: NodeJS.Timeout | undefined, ms: number, alarm: () => void): NodeJS.Timeout | undefined {
  if (ms === 0) return undefined;
  return timer === undefined ? setTimeout(alarm, Math.min(ms, NEVER_MS)) : timer.refresh();
}
