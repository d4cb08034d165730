type Produce<T> = (write: (piece: T) => Promise<void>, signal: AbortSignal) => Promise<void>;

/**
 * Turns work that writes pieces into a generator of them. At most one piece is made while the reader has another.
 * Leaving early, or an abort of one of the signals, aborts the work; after an abort of a signal the reader's next step
 * rejects with its reason. The generator ends only when the work has ended; aborted work does not wait for a reader.
 */
export async function* generatePieces<T>(
  produce: Produce<T>,
  ...signals: readonly (AbortSignal | undefined)[]
): AsyncGenerator<T, void, undefined> {
  for (const signal of signals) signal?.throwIfAborted();
  const stop = new AbortController();
  const unlink = abortWith(stop, signals);
  const slot = new Slot<T>(stop.signal);
  const work = produce((piece) => slot.put(piece), stop.signal).finally(() => slot.close());
  // Nobody else handles a rejection of the work after the reader has left.
  work.catch(() => undefined);
  try {
    while (await slot.isFilled()) {
      stop.signal.throwIfAborted();
      // In no variable, which would hold the piece while the next one is made.
      yield slot.take();
    }
    await work;
  } finally {
    unlink();
    stop.abort();
    await work.catch(() => undefined);
  }
}

/** Holds one piece between a writer and a reader; at most one of the two waits at a time. */
class Slot<T> {
  readonly #signal: AbortSignal;
  #piece: T | null = null;
  #closed = false;
  #wake = () => {};

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener("abort", () => this.#wake(), { once: true });
  }

  /** Resolves when the piece has been taken. */
  async put(piece: T): Promise<void> {
    this.#signal.throwIfAborted();
    this.#piece = piece;
    this.#wake();
    while (this.#piece !== null && !this.#signal.aborted) await this.#change();
    this.#signal.throwIfAborted();
  }

  /** Resolves to true when there is a piece, to false when there will be none. */
  async isFilled(): Promise<boolean> {
    while (this.#piece === null && !this.#closed) await this.#change();
    return this.#piece !== null;
  }

  /** The piece, which makes room for the next one. */
  take(): T {
    const piece = this.#piece;
    if (piece === null) throw new TypeError("there is no piece");
    this.#piece = null;
    this.#wake();
    return piece;
  }

  close(): void {
    this.#closed = true;
    this.#wake();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

/**
 * Aborts `controller` with a signal's reason when one of the signals aborts. The returned function removes the links:
 * `AbortSignal.any` stays with its signals as long as they live (https://github.com/nodejs/node/issues/55351).
 */
export function abortWith(
  controller: AbortController,
  signals: readonly (AbortSignal | undefined)[],
): () => void {
  const links = signals.flatMap((signal) => {
    if (signal === undefined) return [];
    const forward = () => controller.abort(signal.reason);
    if (signal.aborted) forward();
    signal.addEventListener("abort", forward, { once: true });
    return [() => signal.removeEventListener("abort", forward)];
  });
  return () => {
    for (const unlink of links) unlink();
  };
}
