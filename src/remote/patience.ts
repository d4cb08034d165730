import { setTimeout as pause } from "node:timers/promises";
import { EvalcubeError, StoreError } from "../errors.ts";
import { withinTime } from "./session.ts";

/** So long loggers wait for a service that is away, which may be started anew. */
const AWAY_MS = 45_000;
const AGAIN_MS = 1000;
/** Codes of a service that is away, or stops. */
const AWAY: ReadonlySet<string> = new Set(["unreachable", "interrupted", "database_stopped"]);

/** Does again what a service that was away may have done. */
export type Patience = <T>(work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal) => Promise<T>;

/**
 * Patience of all loggers of one engine: it counts from the first failure until the service answers again, and once it
 * is over each is told at once. `address` is that of the service.
 */
export function createPatience(address: string): Patience {
  let awaySince: number | null = null;
  // What has no answer for so long is away, too: a machine that hangs, or a cable.
  const said = `there is no answer (${AWAY_MS / 1000} s passed); see whether the service runs`;
  const late = new StoreError("unreachable", `${address}: ${said}`);
  return async (work, signal) => {
    for (;;) {
      const began = performance.now();
      try {
        const result = await withinTime(AWAY_MS, late, signal, work);
        awaySince = null;
        return result;
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof EvalcubeError && AWAY.has(error.code))) throw error;
        awaySince ??= began;
        if (performance.now() - awaySince > AWAY_MS)
          throw new StoreError("unreachable", error.message, { cause: error });
      }
      await pause(AGAIN_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  };
}
