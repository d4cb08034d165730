import { setTimeout as pause } from "node:timers/promises";

/** Waits until it is so; only the test's own time limit ends the wait. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await pause(5);
}
