/** Longest delay that timers take; longer ones would fire at once. */
const NEVER_MS = 2 ** 31 - 1;

/** The alarms of a stream: either side silent too long, and silence that a comment should fill. */
interface RelayClocks {
  /** The upstream was heard, or is listened to from now on. */
  heard(): void;
  /** The upstream is not listened to until the reader has taken something. */
  waitForReader(): void;
  /** No alarm goes off any more. */
  stop(): void;
}

/** 0 turns an alarm off; readers have as long as the upstream. The keep-alive alarm repeats and does not count as hearing the upstream. */
export function createRelayClocks(
  delays: { readonly idleMs: number; readonly keepAliveMs: number },
  alarms: { readonly idle: () => void; readonly stalled: () => void; readonly keepAlive: () => void },
): RelayClocks {
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
    heard() {
      clearTimeout(stalled);
      stalled = undefined;
      idle = arm(idle, delays.idleMs, alarms.idle);
      keepAlive = arm(keepAlive, delays.keepAliveMs, comment);
    },
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
