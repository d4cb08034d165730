/** The reason of the abort signal: the user or the system ended the command. */
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
 * A signal that aborts on the first interrupt; the second one ends the process, as it would without a
 * handler: `process.exit` waits for the statement that runs.
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
