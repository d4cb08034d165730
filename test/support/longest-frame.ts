import type { Page } from "playwright-core";

/** The longest time between two frames while something is done, in milliseconds. */
export async function longestFrame(page: Page, action: () => Promise<unknown>): Promise<number> {
  await page.evaluate(() => {
    const frames = { longest: 0, last: performance.now(), on: true };
    Object.assign(globalThis, { frames });
    const step = () => {
      const now = performance.now();
      frames.longest = Math.max(frames.longest, now - frames.last);
      frames.last = now;
      if (frames.on) requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  });
  await action();
  return page.evaluate(() => {
    const { frames } = globalThis as unknown as { frames: { longest: number; on: boolean } };
    frames.on = false;
    return frames.longest;
  });
}
