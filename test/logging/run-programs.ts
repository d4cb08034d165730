import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import type { Random } from "../../src/stats/numeric/random.ts";
import { builtProgram } from "../support/built-program.ts";
import { expectFacts, runProgram, type Fact } from "./random-programs.ts";

const KILLED = 0.2;

/**
 * Runs so many random programs one after another on a file, of which one in five is killed; expects that all is stored that they were
 * promised. Returns how many were killed, and how many trials the promises were about.
 */
export async function runPrograms(file: string, count: number, random: Random) {
  let killed = 0;
  const facts: Fact[] = [];
  for (let left = count; left > 0; left--) {
    const seed = Math.floor(random() * 2 ** 31);
    if (random() >= KILLED) await runProgram(file, seed, (told) => void facts.push(...told));
    else if (await killProgram(file, seed, random() * 150, facts)) killed++;
  }
  return { killed, trials: await expectFacts(file, facts) };
}

/** Whether the program was killed before it closed. */
async function killProgram(file: string, seed: number, after: number, facts: Fact[]): Promise<boolean> {
  const args = [builtProgram("children/random-program"), file, String(seed)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const exit = once(child, "exit");
  const opened = new Promise<void>((resolve) => child.stdout.once("data", () => resolve()));
  const said = text(child.stdout);
  await Promise.race([opened, exit]);
  // A random moment is what is tested.
  await sleep(after);
  child.kill("SIGKILL");
  await exit;
  const lines = (await said).split("\n").slice(0, -1);
  facts.push(...lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line) as Fact));
  expect(child.exitCode ?? 0).toBe(0);
  return child.signalCode !== null;
}
