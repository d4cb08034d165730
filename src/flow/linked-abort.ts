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
