type Produce = (write: (piece: string) => Promise<void>, signal: AbortSignal) => Promise<void>;

/**
 * Work that writes pieces, as a generator of them. One piece is made while its reader has another, no more.
 * Leaving early, or `signal`, aborts the work; the generator ends only when the work has.
 */
export async function* generatePieces(
  produce: Produce,
  signal?: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  signal?.throwIfAborted();
  const stop = new AbortController();
  const forward = () => stop.abort(signal?.reason);
  signal?.addEventListener("abort", forward, { once: true });
  const slot = createSlot(stop.signal);
  const work = produce(slot.put, stop.signal).finally(slot.close);
  // Whoever has left does not hear how the work ended.
  work.catch(() => undefined);
  try {
    for (let piece = await slot.take(); piece !== null; piece = await slot.take()) {
      signal?.throwIfAborted();
      yield piece;
    }
    await work;
  } finally {
    signal?.removeEventListener("abort", forward);
    stop.abort();
    await work.catch(() => undefined);
  }
}

/** Room for one piece between a writer and a reader, of whom one at most is waiting. */
function createSlot(signal: AbortSignal) {
  let held: string | null = null;
  let closed = false;
  let wake = () => {};
  const changed = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });
  signal.addEventListener("abort", () => wake(), { once: true });
  return {
    /** Resolves when the piece has been taken. */
    put: async (piece: string): Promise<void> => {
      signal.throwIfAborted();
      held = piece;
      wake();
      while (held !== null && !signal.aborted) await changed();
      signal.throwIfAborted();
    },
    /** The next piece; null when there will be none. */
    take: async (): Promise<string | null> => {
      while (held === null && !closed) await changed();
      const piece = held;
      held = null;
      wake();
      return piece;
    },
    close: () => {
      closed = true;
      wake();
    },
  };
}
