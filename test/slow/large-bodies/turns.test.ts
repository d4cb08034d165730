import { readdirSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { beforeEach, expect, it } from "vitest";
import { bytesOf, LARGE_BODIES } from "../../flood/large-bodies.ts";
import { startWatched } from "../../flood/watched-service.ts";

/** On two cores that do nothing else. */
const LONGEST_MS = Number(process.env["LONGEST_MS"] ?? 250);
const AT_ONCE = 16;

let service: Awaited<ReturnType<typeof startWatched>>;
// A new one each time: what bodies before have left in memory is no part of what is measured.
beforeEach(async () => {
  service = await startWatched();
  // Who sends stands for other machines, and leaves the cores of this one to the service.
  const threads = process.platform === "linux" ? readdirSync("/proc/self/task").map(Number) : [0];
  for (const thread of threads) setPriority(thread, constants.priority.PRIORITY_LOW);
  return async () => service.stop();
});

it("a turn that is held is told, so that the others mean something", async () => {
  await service.longestTurn();
  expect(await service.longestTurn(true)).toBeGreaterThan(400);
});

it.each(LARGE_BODIES.map((one) => [one.name, one] as const))(
  `no turn is longer than ${LONGEST_MS} ms, nor does anybody wait longer, under ${AT_ONCE} at a time of: %s`,
  async (_, body) => {
    for (const stored of LARGE_BODIES.filter(({ name }) => body.reads.includes(name)))
      expect((await service.post(stored, bytesOf(stored))).status).toBe(200);
    const bytes = bytesOf(body);
    await service.longestTurn();
    const statuses = new Set<number>();
    const wait = await service.longestWait(async () => {
      const answers = Array.from({ length: AT_ONCE }, () => service.post(body, bytes));
      for (const { status } of await Promise.all(answers)) statuses.add(status);
    });
    const turn = await service.longestTurn();
    process.stdout.write(`${body.name}: turn ${turn} ms, wait ${wait} ms\n`);
    // So many at once may wait beyond their time, which is told as 503.
    expect([...statuses].filter((status) => status !== 503)).toEqual([body.status]);
    expect(Math.max(turn, wait)).toBeLessThan(LONGEST_MS);
  },
);
