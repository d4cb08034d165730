import { LINE_END, SEPARATOR, type PayloadHeader, type PayloadValue } from "./payload-rows.ts";

/** The rows of a report in memory. Trials are counted in the order row, evaluation, trial. A column is parsed when it is first read. */
export interface PackedRows {
  readonly header: PayloadHeader;
  readonly digests: () => readonly string[];
  /** JSON texts. */
  readonly inputs: TextColumn;
  /** The first trial of row r in evaluation e stands at `r * evaluations + e`, the end one place later. */
  readonly starts: Uint32Array;
  /** As many as the header has dimensions. */
  readonly dimensions: readonly TrialColumn[];
  readonly latency: TrialColumn;
  readonly tokens: TrialColumn;
  /** JSON texts. */
  readonly errors: TextColumn;
  /** JSON texts of the scores that are text, by name. */
  readonly texts: TextColumn;
  /** JSON texts. */
  readonly outputs: TextColumn;
}

/** The text at a place; undefined where there is none. */
export type TextColumn = (place: number) => string | undefined;

/** One value for each trial: of a dimension, of latency or of tokens. */
export interface TrialColumn {
  /** The value of one trial; undefined where there is none. */
  readonly at: (trial: number) => number | boolean | null | undefined;
  /** All numbers, true as 1 and false as 0; NaN where there is none. */
  readonly numbers: () => Float64Array;
}

/** Characters of base64 that are decoded in one go, a multiple of four. */
const PIECE = 2 ** 20;

/** Reads the text of `encodeRows`, piece by piece, so that the page answers meanwhile. Throws where it is another one. */
export async function decodeRows(text: string): Promise<PackedRows> {
  const trimmed = text.trim();
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: pieces(trimmed),
  }).pipeThrough(new DecompressionStream("gzip"));
  const [head, ...columns] = columnsIn(new Uint8Array(await new Response(stream).arrayBuffer()));
  const header = jsonIn(head) as PayloadHeader;
  if (header.format !== 1) throw new Error(`rows of format ${String(header.format)} cannot be read`);
  const [counts, digests, inputs, latency, tokens, errors, texts, outputs, ...scores] = columns;
  return {
    header,
    digests: once(() => jsonIn(digests) as string[]),
    inputs: linesIn(inputs),
    starts: startsOf(jsonIn(counts) as number[]),
    dimensions: header.dimensions.map((_, place) => valuesIn(scores[place])),
    latency: valuesIn(latency),
    tokens: valuesIn(tokens),
    errors: linesIn(errors),
    texts: linesIn(texts),
    outputs: linesIn(outputs),
  };
}

function pieces(
  text: string,
): (controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>) => void {
  let at = 0;
  return (controller) => {
    if (at >= text.length) controller.close();
    else controller.enqueue(bytesOf(text.slice(at, at + PIECE)));
    at += PIECE;
  };
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

function columnsIn(block: Uint8Array): Uint8Array[] {
  const columns: Uint8Array[] = [];
  let from = 0;
  for (let to = block.indexOf(SEPARATOR); to !== -1; to = block.indexOf(SEPARATOR, from)) {
    columns.push(block.subarray(from, to));
    from = to + 1;
  }
  return columns;
}

function jsonIn(bytes: Uint8Array | undefined): unknown {
  return JSON.parse(new TextDecoder().decode(bytes));
}

/** Texts stay bytes until they are read. */
function linesIn(bytes: Uint8Array = new Uint8Array(0)): TextColumn {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const ends = once(() => lineEnds(bytes));
  return (place) => {
    const [from, to] = [place === 0 ? 0 : (ends()[place - 1] ?? bytes.length) + 1, ends()[place] ?? 0];
    return from < to ? decoder.decode(bytes.subarray(from, to)) : undefined;
  };
}

function lineEnds(bytes: Uint8Array): Uint32Array {
  let count = 0;
  for (const byte of bytes) if (byte === LINE_END) count++;
  const ends = new Uint32Array(count);
  for (let at = 0, next = 0; next < count; at++) if (bytes[at] === LINE_END) ends[next++] = at;
  return ends;
}

function valuesIn(bytes: Uint8Array | undefined): TrialColumn {
  const values = once(() => jsonIn(bytes) as PayloadValue[]);
  return {
    at: (trial) => {
      const value = values()[trial];
      return value === "" ? undefined : value;
    },
    numbers: once(() =>
      Float64Array.from(values(), (value) => (value === "" || value === null ? Number.NaN : Number(value))),
    ),
  };
}

function startsOf(counts: readonly number[]): Uint32Array {
  const starts = new Uint32Array(counts.length + 1);
  let next = 0;
  for (const [i, count] of counts.entries()) {
    starts[i] = next;
    next += count;
  }
  starts[counts.length] = next;
  return starts;
}

/** Makes a value when it is first asked for. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}
