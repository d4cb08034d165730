import type { DuckDBConnection } from "@duckdb/node-api";

const AGAIN_MS = 20;

/**
 * Interrupts the work of a connection from the moment a signal aborts until the returned function is called. It repeats
 * the interrupt, since an interrupt is lost on a statement that is being prepared or waits for a thread.
 */
export function interruptOn(signal: AbortSignal | undefined, connection: DuckDBConnection): () => void {
  let timer: NodeJS.Timeout | undefined;
  const interrupt = () => {
    connection.interrupt();
    timer ??= setInterval(interrupt, AGAIN_MS);
  };
  signal?.addEventListener("abort", interrupt, { once: true });
  return () => {
    signal?.removeEventListener("abort", interrupt);
    clearInterval(timer);
  };
}
