import { useLayoutEffect, useState } from "preact/hooks";

/** An answer, while the next one is asked for or failed. */
export interface Asked<Answer> {
  /** The last good answer; where there was none, what is told of the next one. */
  readonly answer: Answer | null;
  readonly asking: boolean;
  readonly error: Error | null;
  readonly again: () => void;
}

type Ask<Answer> = (signal: AbortSignal, tell: (early: Answer) => void) => Promise<Answer>;

/** Asks when `key` changes, and gives up what is no longer wanted. `ask` null: there is nothing to ask yet. */
export function useAsked<Answer>(ask: Ask<Answer> | null, keys: readonly unknown[]): Asked<Answer> {
  const [state, setState] = useState<Omit<Asked<Answer>, "again"> & { readonly early: boolean }>({
    answer: null,
    early: true,
    asking: true,
    error: null,
  });
  const [attempt, setAttempt] = useState(0);
  // Before the page is painted, so that what takes long is asked for meanwhile.
  useLayoutEffect(() => {
    if (ask === null) return undefined;
    const control = new AbortController();
    const { signal } = control;
    const settle = async () => {
      setState((last) =>
        last.asking && last.error === null ? last : { ...last, asking: true, error: null },
      );
      const tell = (answer: Answer) => {
        if (!signal.aborted) setState((last) => (last.early ? { ...last, answer } : last));
      };
      try {
        const answer = await ask(signal, tell);
        if (!signal.aborted) setState({ answer, early: false, asking: false, error: null });
      } catch (error) {
        if (!signal.aborted) setState((last) => ({ ...last, asking: false, error: asError(error) }));
      }
    };
    void settle();
    return () => {
      control.abort();
      setState((last) => (last.asking ? { ...last, asking: false } : last));
    };
  }, [...keys, attempt]);
  return { ...state, again: () => setAttempt((last) => last + 1) };
}

export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
