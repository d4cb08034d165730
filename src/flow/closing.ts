import { setMaxListeners } from "node:events";
import { StoreError } from "../errors.ts";

/** Ends a store once, however often it is asked to. */
export interface Closing {
  /** Aborts with the error of a closed store when `close` is called. */
  readonly signal: AbortSignal;
  readonly close: () => Promise<void>;
}

/** Creates the closing of a store; `end` is called once, when nothing new can begin. */
export function createClosing(path: string, end: () => Promise<void>): Closing {
  const closer = new AbortController();
  setMaxListeners(0, closer.signal);
  let closing: Promise<void> | null = null;
  return {
    signal: closer.signal,
    close: () => {
      closer.abort(new StoreError("closed", `${path}: the engine is closed; openEngine opens it again`));
      closing ??= end();
      return closing;
    },
  };
}
