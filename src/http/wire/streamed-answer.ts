import { bytesAnswer, jsonAnswer, type Answer } from "./answer.ts";
import { open, rm } from "node:fs/promises";
import { textPieces } from "../../model/long-texts.ts";
import type { Trace } from "../log/trace.ts";

/** Answers of at most this many characters are usually sent whole, with their length. */
const WHOLE_LENGTH = 256 * 1024;
/** Size of the slices of a stream in bytes. */
const SLICE_BYTES = 64 * 1024;
/** Size of the slices of a file. */
const FILE_BYTES = 256 * 1024;
/** How long a client may read nothing before it is cut off, since it holds a snapshot of the database. */
const STALLED_MS = 300_000;
/** The same where others wait for its place. */
const CROWDED_MS = 30_000;

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

/**
 * Answers with bytes of any length that are written to a stream. An error before the first 256 KiB are written is
 * thrown; after them the body breaks off. `headers` is called once some bytes are written.
 */
export async function answerAsWritten(
  write: (stream: WritableStream<Uint8Array>) => Promise<unknown>,
  headers: () => Readonly<Record<string, string>>,
  options: Pick<Options, "trace" | "stop">,
): Promise<Answer> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  write(writable)
    .then(() => writable.close())
    .catch((error: unknown) => writable.abort(error).catch(() => undefined));
  const chunks = readable.values();
  const head: Uint8Array[] = [];
  let length = 0;
  for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
    head.push(next.value);
    length += next.value.length;
    if (length <= WHOLE_LENGTH) continue;
    options.trace.deferred = true;
    const end = () => chunks.return?.() ?? Promise.resolve();
    const body = streamOf({ status: 200, slices: slicesOfChunks(head, chunks), end }, options);
    return { status: 200, headers: headers(), body };
  }
  return bytesAnswer(Buffer.concat(head), headers(), 200);
}

/** Answers with a file that nobody else needs: it is removed at once, and its room is free when the client goes. */
export async function answerOfPassingFile(
  path: string,
  headers: Readonly<Record<string, string>>,
  options: Pick<Options, "trace" | "stop">,
): Promise<Answer> {
  const file = await open(path);
  // Systems that remove no open file keep it until it is read.
  const remove = () => rm(path, { force: true }).catch(() => undefined);
  const close = () => file.close().then(remove);
  await remove();
  const { size } = await file.stat();
  const slices = file.createReadStream({ highWaterMark: FILE_BYTES, autoClose: false }).iterator();
  options.trace.deferred = true;
  const source = { status: 200, slices: closingAfter(slices, close), end: close };
  return {
    status: 200,
    headers: { ...headers, "content-length": String(size) },
    body: streamOf(source, options),
  };
}

async function* closingAfter(
  chunks: AsyncIterable<Uint8Array>,
  close: () => Promise<unknown>,
): AsyncGenerator<Uint8Array, undefined> {
  yield* chunks;
  await close();
}

async function* slicesOfChunks(
  head: readonly Uint8Array[],
  rest: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, undefined> {
  for (const chunk of head) yield* slicesOfBytes(chunk);
  for await (const chunk of rest) yield* slicesOfBytes(chunk);
}

/** The same answer, which the client takes slice by slice where it is long; its headers stay. */
export function inSlices(answer: Answer, trace: Trace): Answer {
  const { status, body } = answer;
  if (body instanceof ReadableStream || body.length <= WHOLE_LENGTH) return answer;
  trace.deferred = true;
  const source = { status, slices: slicesOfBytes(body), end: () => Promise.resolve() };
  return { ...answer, body: streamOf(source, { trace, stop: new AbortController() }) };
}

function streamed(head: string, pieces: Pieces, options: Options): Answer {
  options.trace.deferred = true;
  const headers = { "content-type": options.type ?? JSON_TYPE };
  const source = { status: 200, slices: slicesOf(head, pieces), end: () => pieces.return() };
  return { status: 200, headers, body: streamOf(source, options) };
}

interface Source {
  readonly status: number;
  readonly slices: Iterator<Uint8Array, unknown> | AsyncIterator<Uint8Array, unknown>;
  /** Ends what the slices come from. */
  readonly end: () => Promise<unknown>;
}

function streamOf({ status, slices, end }: Source, options: Options): ReadableStream<Uint8Array> {
  const { trace, stop } = options;
  const patience = createPatience(options);
  let sent = 0;
  const leave = async (outcome: string) => {
    patience.end();
    stop.abort();
    trace.end(status, sent, outcome);
    await end().catch(() => undefined);
  };
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    patience.end();
    const next = await slices.next();
    if (next.done === true) {
      trace.end(status, sent, "ok");
      return controller.close();
    }
    sent += next.value.length;
    controller.enqueue(next.value);
    patience.begin(() => {
      controller.error(new Error("The client takes nothing."));
      void leave("stalled");
    });
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

/** How long a client may take nothing: looks again and again, since it has less time once others wait. */
function createPatience({ trace, stalledMs = STALLED_MS }: Options) {
  let timer: NodeJS.Timeout | undefined;
  const begin = (cutOff: () => void, leftMs = stalledMs) => {
    const ms = Math.min(leftMs, CROWDED_MS);
    timer = setTimeout(() => {
      if (ms === leftMs || trace.place?.isWanted() === true) cutOff();
      else begin(cutOff, leftMs - ms);
    }, ms);
  };
  return { begin, end: () => clearTimeout(timer) };
}

async function* slicesOf(head: string, pieces: Pieces): AsyncGenerator<Uint8Array, undefined> {
  yield* slicesOfText(head);
  for await (const piece of pieces) yield* slicesOfText(piece);
}

function* slicesOfText(text: string): Generator<Uint8Array, undefined> {
  for (const piece of textPieces(text)) yield* slicesOfBytes(Buffer.from(piece));
}

function* slicesOfBytes(bytes: Uint8Array): Generator<Uint8Array, undefined> {
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) yield bytes.subarray(at, at + SLICE_BYTES);
}
