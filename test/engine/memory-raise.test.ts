import { totalmem } from "node:os";
import { expect, it } from "vitest";
import { createRoom } from "../../src/duckdb/file/room.ts";
import { openEngine } from "../../src/index.ts";
import { scratchPath } from "../support/scratch.ts";

/** The limits that are set around some work, in KiB. */
async function limitsWith(memoryRaise: string | undefined): Promise<number[]> {
  const limits: number[] = [];
  const run = (statement: string) => {
    limits.push(Number(/'(\d+)KiB'$/.exec(statement)?.[1]));
    return Promise.resolve({} as never);
  };
  const { around } = createRoom({ memoryLimit: "64MiB", memoryRaise }, 0, { run });
  await around(() => Promise.resolve());
  return limits;
}

const MIB = 1024;

it("moments beside long texts get as much more memory as they are given, and without it half of the machine's", async () => {
  expect(await limitsWith("256MiB")).toEqual([320 * MIB, 64 * MIB]);
  expect(await limitsWith("0MiB")).toEqual([]);
  const machine = Math.min(totalmem(), process.constrainedMemory() || Infinity) / 1024;
  for (const raise of ["auto", undefined])
    expect(await limitsWith(raise)).toEqual([Math.floor(machine / 2), 64 * MIB]);
});

it.each(["much", "", "-1MiB", "50%"])("a raise of %j is refused", async (memoryRaise) => {
  await expect(openEngine({ path: scratchPath(), memoryRaise })).rejects.toMatchObject({
    code: "invalid_option",
    message: expect.stringContaining("memoryRaise") as unknown,
  });
});
