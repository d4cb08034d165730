/** Messages that nobody has taken yet. */
export interface Inbox<T> {
  readonly put: (message: T) => void;
  /** Nothing more will come. */
  readonly fail: (reason: Error) => void;
  /** Lets who waits for a message look at the signal. */
  readonly wake: () => void;
  /** The next message. Rejects when the signal aborts; once the sender has failed and all its messages are taken, rejects with `told(reason)`. */
  readonly next: (signal: AbortSignal, told: (reason: Error) => Error) => Promise<T>;
}

export function createInbox<T>(): Inbox<T> {
  const messages: T[] = [];
  let failure: Error | null = null;
  let resume: (() => void) | null = null;
  const wake = () => resume?.();
  return {
    wake,
    put: (message) => {
      messages.push(message);
      wake();
    },
    fail: (reason) => {
      failure = reason;
      wake();
    },
    next: async (signal, told) => {
      for (;;) {
        signal.throwIfAborted();
        const message = messages.shift();
        if (message !== undefined) return message;
        if (failure !== null) throw told(failure);
        await new Promise<void>((woken) => (resume = woken));
      }
    },
  };
}
