/** A part of a body of several: what it is, and its bytes. */
export interface Framed<Kind extends string = string> {
  readonly kind: Kind;
  readonly bytes: Uint8Array;
}

/** Writes parts one after the other, each behind a line of JSON that tells its kind and how many bytes it has. */
export async function* writeFramed(
  parts: AsyncIterable<Framed>,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const { kind, bytes } of parts) {
    yield Buffer.from(`${JSON.stringify({ kind, bytes: bytes.length })}\n`);
    yield bytes;
  }
}

const LINE_END = 10;

/** Reads what {@link writeFramed} writes. Throws `TypeError` where a body ends within a part. */
export async function* readFramed(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Framed, void, undefined> {
  const { line, take, end } = readerOf(chunks);
  try {
    for (let head = await line(); head !== null; head = await line()) {
      const { kind, bytes } = JSON.parse(head) as { readonly kind: string; readonly bytes: number };
      yield { kind, bytes: await take(bytes) };
    }
  } finally {
    await end();
  }
}

/** Takes bytes of a body in pieces of its own choice. */
function readerOf(chunks: AsyncIterable<Uint8Array>) {
  const source = chunks[Symbol.asyncIterator]();
  let held: Uint8Array = new Uint8Array();
  const more = async (): Promise<Uint8Array> => {
    const next = await source.next();
    if (next.done === true) throw new TypeError("the body ends within a part");
    return next.value;
  };
  /** So many bytes, put together once, since a part comes in many chunks. */
  const take = async (count: number): Promise<Uint8Array> => {
    const parts = [held];
    let size = held.length;
    while (size < count) {
      const chunk = await more();
      parts.push(chunk);
      size += chunk.length;
    }
    const all = Buffer.concat(parts);
    held = all.subarray(count);
    return all.subarray(0, count);
  };
  /** The text up to the next line end, which is left out; null at the end of the body. */
  const line = async (): Promise<string | null> => {
    if (held.length === 0) {
      const next = await source.next();
      if (next.done === true) return null;
      held = next.value;
    }
    let end = held.indexOf(LINE_END);
    for (; end < 0; end = held.indexOf(LINE_END)) held = Buffer.concat([held, await more()]);
    const text = Buffer.from(held.subarray(0, end)).toString("utf8");
    held = held.subarray(end + 1);
    return text;
  };
  return { line, take, end: async () => void (await source.return?.()) };
}
