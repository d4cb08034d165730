import { DuckDBInstance } from "@duckdb/node-api";
import { setTimeout as wait } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { openMemoryWatch } from "../../src/duckdb/memory-watch.ts";

/** Long enough for several looks. */
const A_WHILE_MS = 100;

async function watch() {
  const instance = await DuckDBInstance.create(":memory:", { memory_limit: "64MiB" });
  return openMemoryWatch(await instance.connect());
}

/** Collects what nobody holds. */
function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const gc: unknown = runInNewContext("gc");
  if (typeof gc !== "function") throw new Error("there is no gc");
  gc();
}

it("does not take memory that JavaScript gives back for memory that a statement takes", async () => {
  const { start, close } = await watch();
  // Nobody has written to it, so the process does not hold it yet.
  const reserved = [new ArrayBuffer(2 ** 29)];
  let told = 0;
  const end = start(() => told++);
  await wait(A_WHILE_MS);
  expect(reserved.pop()?.byteLength).toBe(2 ** 29);
  collectGarbage();
  await wait(A_WHILE_MS);
  await end();
  await close();
  expect(told).toBe(0);
});
