import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";

const DEADLINE_MS = 50_000;
/** So often the event loop goes round before nothing more is expected of it. */
const MANY_TURNS = 200;

/** Waits until it is so, asking every few milliseconds; fails with what was awaited when it does not come. */
export async function until(awaited: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`waited ${DEADLINE_MS / 1000} s for: ${awaited}`);
    // Between two questions: a shorter or longer pause changes nothing.
    await pause(5);
  }
}

/** Lets everything happen that waits for nothing but the event loop of this process. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < MANY_TURNS; turn++) await nextTurn();
}

/** Waits until a count has begun and then stays where it is; null while something is under way that will change it. */
export async function standstill(awaited: string, count: () => number | null): Promise<void> {
  let before: number | null = null;
  await until(awaited, async () => {
    before = count();
    await settle();
    return before !== null && before > 0 && before === count();
  });
}

/** Waits until the threads of this process have worked for a while from now on, as a statement in DuckDB does. */
export async function untilWorking(work: string): Promise<void> {
  const { user: before } = process.cpuUsage();
  await until(work, () => process.cpuUsage().user - before > 100_000);
}
