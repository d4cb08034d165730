/** Times in microseconds since 1970 that never go back. */
export interface Clock {
  /** A time later than every earlier one, by at least `step` microseconds. */
  readonly tick: (step?: number) => number;
}

/** Where the wall clock is ahead by more, the machine has slept, and the monotonic clock has not counted it. */
const SLEPT_US = 1_000_000;

/** `wall` and `monotonic` give microseconds; the wall clock is read once, then the monotonic one goes on. */
export function createClock(
  wall: () => number = () => Date.now() * 1000,
  monotonic: () => number = () => performance.now() * 1000,
): Clock {
  let offset = wall() - monotonic();
  let last = 0;
  return {
    tick: (step = 1) => {
      const ahead = wall() - monotonic() - offset;
      if (ahead > SLEPT_US) offset += ahead;
      last = Math.max(last + step, Math.floor(monotonic() + offset));
      return last;
    },
  };
}
