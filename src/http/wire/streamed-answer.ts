import { jsonAnswer, type Answer } from "./answer.ts";
import type { Trace } from "../log/trace.ts";

/** Answers of at most this many characters are usually sent whole, with their length. */
const WHOLE_LENGTH = 256 * 1024;
/** Size of the slices of a stream in bytes. */
const SLICE_BYTES = 64 * 1024;
/** How long a client may read nothing before it is cut off, since it holds a snapshot of the database. */
const STALLED_MS = 300_000;

const JSON_TYPE = "application/json";

type Pieces = AsyncGenerator<string, void, undefined>;

interface Options {
  readonly trace: Trace;
  /** Stops the generation of pieces. */
  readonly stop: AbortController;
  readonly stalledMs?: number;
  /** Media type of the answer; default JSON. */
  readonly type?: string;
  /** Longer answers are sent as they are made; default 256 Ki characters. */
  readonly wholeLength?: number;
}

/** Answers with JSON of any length. An error before the first byte is thrown; after it the body breaks off. */
export async function answerInPieces(pieces: Pieces, options: Options): Promise<Answer> {
  const head: string[] = [];
  let length = 0;
  for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) {
    head.push(next.value);
    length += next.value.length;
    if (length > (options.wholeLength ?? WHOLE_LENGTH)) return streamed(head.join(""), pieces, options);
  }
  return jsonAnswer(head.join(""), { "content-type": options.type ?? JSON_TYPE });
}

function streamed(head: string, pieces: Pieces, options: Options): Answer {
  options.trace.deferred = true;
  const headers = { "content-type": options.type ?? JSON_TYPE };
  return { status: 200, headers, body: streamOf(head, pieces, options) };
}

function streamOf(head: string, pieces: Pieces, options: Options): ReadableStream<Uint8Array> {
  const { trace, stop, stalledMs = STALLED_MS } = options;
  const slices = slicesOf(head, pieces);
  let sent = 0;
  let timer: NodeJS.Timeout | undefined;
  const leave = async (outcome: string) => {
    clearTimeout(timer);
    stop.abort();
    trace.end(200, sent, outcome);
    await pieces.return().catch(() => undefined);
  };
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    clearTimeout(timer);
    const { value: slice } = await slices.next();
    if (slice === undefined) {
      trace.end(200, sent, "ok");
      return controller.close();
    }
    sent += slice.length;
    controller.enqueue(slice);
    timer = setTimeout(() => {
      controller.error(new Error("The client takes nothing."));
      void leave("stalled");
    }, stalledMs);
  };
  const fail = (controller: ReadableStreamDefaultController<Uint8Array>, error: unknown) => {
    if (!stop.signal.aborted) trace.fault(error);
    // The cause goes only to the log, since a server might write it into the body.
    controller.error(new Error("The answer broke off."));
    return leave(stop.signal.aborted ? "aborted" : "failed");
  };
  return new ReadableStream<Uint8Array>(
    {
      pull: (controller) => pull(controller).catch((error: unknown) => fail(controller, error)),
      cancel: () => leave("aborted"),
    },
    { highWaterMark: 0 },
  );
}

async function* slicesOf(head: string, pieces: Pieces): AsyncGenerator<Uint8Array, undefined> {
  yield* slicesOfText(head);
  for await (const piece of pieces) yield* slicesOfText(piece);
}

function* slicesOfText(text: string): Generator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) yield bytes.subarray(at, at + SLICE_BYTES);
}
