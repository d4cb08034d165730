import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { openEngine } from "../../src/index.ts";
import type { Random } from "../../src/stats/numeric/random.ts";
import { recordsOf } from "./reading.ts";
import { PROJECT } from "../support/records.ts";
import { builtProgram } from "../support/built-program.ts";

/** One process that logs; it is killed some moment after it has opened the file, unless `killAfter` is null. */
async function logOnce(file: string, rows: number, attempt: number, killAfter: number | null) {
  const args = [builtProgram("children/log-trials"), file, String(rows), String(attempt)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const exit = once(child, "exit");
  const opened = new Promise<void>((resolve) => child.stdout.once("data", () => resolve()));
  const said = text(child.stdout);
  if (killAfter !== null) {
    await Promise.race([opened, exit]);
    // A random moment is what is tested.
    await sleep(killAfter);
    child.kill("SIGKILL");
  }
  await exit;
  const lines = (await said).split("\n").slice(0, -1);
  return {
    acknowledged: lines.filter((line) => /^\d+ \d+$/.test(line)),
    end: lines.find((line) => line.startsWith("end ")) ?? null,
    exit: `code ${child.exitCode}, signal ${child.signalCode}, after ${lines.length} lines`,
  };
}

/**
 * Kills so many processes that log one evaluation at random moments, then lets one end it. Expects that nothing which was
 * acknowledged was made again, that every trial is there once, and that the counts are exact. Returns how many were killed.
 */
export async function killLoggers(
  file: string,
  kills: number,
  rows: number,
  random: Random,
): Promise<number> {
  const acknowledged: string[] = [];
  let killed = 0;
  for (let attempt = 0; attempt < kills; attempt++) {
    const { acknowledged: said, end } = await logOnce(file, rows, attempt, random() * 250);
    acknowledged.push(...said);
    if (end === null) killed++;
  }
  const last = await logOnce(file, rows, kills, null);
  acknowledged.push(...last.acknowledged);
  expect(new Set(acknowledged).size).toBe(acknowledged.length);
  expect(last.end, `the last process ended with ${last.exit}`).toMatch(
    new RegExp(`^end ${rows * 2} 0 \\d+$`),
  );
  const engine = await openEngine(
    file.startsWith("http:") ? { url: file, key: process.env["EVALCUBE_KEY"] } : { path: file, threads: 1 },
  );
  const records = await recordsOf(engine, "killed");
  const { rows: found } = await engine.queryEvalResults(PROJECT, { evaluation_call_ids: ["killed"] });
  const [listed] = await engine.listEvaluations(PROJECT);
  await engine.close();
  expect(listed?.trial_count).toBe(rows * 2);
  expect(records).toHaveLength(1 + rows * 2 * 4);
  expect(new Set(records.map(({ id }) => id)).size).toBe(records.length);
  expect(records.every((one) => (one.exception ?? "") === "" && typeof one.ended_at === "string")).toBe(true);
  const outputs = found.map((row) =>
    JSON.stringify(row.evaluations[0]?.trials.map(({ model_output }) => model_output)),
  );
  const expected = Array.from({ length: rows }, (_, row) => JSON.stringify([`${row}-0`, `${row}-1`]));
  expect(new Set(outputs)).toEqual(new Set(expected));
  return killed;
}
