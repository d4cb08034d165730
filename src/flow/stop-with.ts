/**
 * Returns a controller that aborts with a signal, and that may be aborted for other reasons. `named` makes the reason
 * of the signal into what its abort is called.
 */
export function stopWith(
  signal: AbortSignal,
  named: (reason: unknown) => unknown = (reason) => reason,
): AbortController {
  const stop = new AbortController();
  const abort = () => stop.abort(named(signal.reason));
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  return stop;
}
