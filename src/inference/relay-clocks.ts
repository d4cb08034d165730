/** Longest delay that timers take; longer ones would fire at once. */
const NEVER_MS = 2 ** 31 - 1;

/** The two alarms of a stream: upstream silent too long, and silence that a comment should fill. */
export interface RelayClocks {
  /** The upstream was heard, or is listened to from now on. */
  heard(): void;
  /** Nobody listens: neither alarm goes off until it is heard again. */
  stop(): void;
}

/** 0 turns an alarm off. The keep-alive alarm repeats and does not count as hearing the upstream. */
export function createRelayClocks(
  delays: { readonly idleMs: number; readonly keepAliveMs: number },
  alarms: { readonly idle: () => void; readonly keepAlive: () => void },
): RelayClocks {
  let idle: NodeJS.Timeout | undefined;
  let keepAlive: NodeJS.Timeout | undefined;
  const comment = () => {
    alarms.keepAlive();
    keepAlive?.refresh();
  };
  return {
    heard() {
      idle = arm(idle, delays.idleMs, alarms.idle);
      keepAlive = arm(keepAlive, delays.keepAliveMs, comment);
    },
    stop() {
      clearTimeout(idle);
      clearTimeout(keepAlive);
      idle = undefined;
      keepAlive = undefined;
    },
  };
}

function arm(timer: NodeJS.Timeout | undefined, ms: number, alarm: () => void): NodeJS.Timeout | undefined {
  if (ms === 0) return undefined;
  return timer === undefined ? setTimeout(alarm, Math.min(ms, NEVER_MS)) : timer.refresh();
}
