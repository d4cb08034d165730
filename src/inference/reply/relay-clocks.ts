/** Longest delay that timers accept; a longer one would fire immediately. */
const NEVER_MS = 2 ** 31 - 1;

/**
 * The timers of a stream: they detect that either side is silent for too long, and silence that a comment fills. 0 turns an alarm off; the reader has as much time as the upstream. The keep-alive alarm repeats and does not count
 * as hearing the upstream.
 */
export function createRelayClocks(
  delays: { readonly idleMs: number; readonly keepAliveMs: number },
  alarms: { readonly idle: () => void; readonly stalled: () => void; readonly keepAlive: () => void },
) {
  let idle: NodeJS.Timeout | undefined;
  let stalled: NodeJS.Timeout | undefined;
  let keepAlive: NodeJS.Timeout | undefined;
  const comment = () => {
    alarms.keepAlive();
    keepAlive?.refresh();
  };
  const stop = () => {
    clearTimeout(idle);
    clearTimeout(stalled);
    clearTimeout(keepAlive);
    idle = undefined;
    stalled = undefined;
    keepAlive = undefined;
  };
  return {
    /** Restarts the upstream's timers: it was heard, or is listened to from now on. */
    heard() {
      clearTimeout(stalled);
      stalled = undefined;
      idle = arm(idle, delays.idleMs, alarms.idle);
      keepAlive = arm(keepAlive, delays.keepAliveMs, comment);
    },
    /** Starts the reader's timer: the upstream is not listened to until the reader has taken something. */
    waitForReader() {
      stop();
      stalled = arm(undefined, delays.idleMs, alarms.stalled);
    },
    stop,
  };
}

function arm(timer: NodeJS.Timeout | undefined, ms: number, alarm: () => void): NodeJS.Timeout | undefined {
  if (ms === 0) return undefined;
  return timer === undefined ? setTimeout(alarm, Math.min(ms, NEVER_MS)) : timer.refresh();
}
