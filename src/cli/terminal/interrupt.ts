/** The reason of the abort signal when the user or the system ends the command. */
export class Interrupted extends Error {
  readonly status: number;

  constructor(status: number) {
    super("interrupted");
    this.status = status;
  }
}

/** Exit statuses that shells give to a process ended by the signal: 128 + its number. */
const STATUS = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Returns a signal that aborts on the first interrupt. The second interrupt ends the process as it would without a
 * handler, since `process.exit` waits for the running statement.
 */
export function abortOnInterrupt(): AbortSignal {
  const controller = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.once(name, () => {
      if (controller.signal.aborted) process.kill(process.pid, name);
      else controller.abort(new Interrupted(STATUS[name]));
    });
  }
  return controller.signal;
}

/** Resolves when the signal aborts, or at once where it has. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
