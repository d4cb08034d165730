import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it, onTestFinished } from "vitest";

/** Says what it hears, and goes on. */
const DEAF = `const { abortOnInterrupt } = await import("../../src/cli/terminal/interrupt.ts");
  abortOnInterrupt().addEventListener("abort", () => console.log("aborted"));
  setInterval(() => {}, 1000);
  console.log("ready");`;

it.each([
  ["SIGINT", "SIGINT"],
  ["SIGINT", "SIGTERM"],
  ["SIGTERM", "SIGINT"],
] as const)("after %s, %s ends a command that does not end by itself", async (first, second) => {
  const args = ["--import", import.meta.resolve("tsx"), "--input-type=module", "-e", DEAF];
  const child = spawn(process.execPath, args, {
    cwd: import.meta.dirname,
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  expect(String(await once(child.stdout, "data"))).toBe("ready\n");
  child.kill(first);
  expect(String(await once(child.stdout, "data"))).toBe("aborted\n");
  const ended = once(child, "exit");
  child.kill(second);
  expect(await ended).toEqual([null, second]);
});
