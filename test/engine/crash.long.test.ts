import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { watch } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { expect, it, onTestFinished } from "vitest";
import { openEngine } from "../../src/index.ts";
import { PROJECT, root, trial } from "../support/records.ts";
import { scratchPath } from "../support/scratch.ts";
import { builtProgram } from "../support/built-program.ts";

const SEED = Number(process.env["SEED"] ?? 303);
const KILLS = Number(process.env["KILLS"] ?? 3);
const TRIALS = 400;

/** Numbers from 0 to 1 that a seed decides (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A process that loads sources into the file until it is killed. */
function startLoading(file: string): ChildProcessByStdio<null, Readable, null> {
  const child = spawn(process.execPath, [builtProgram("children/load-sources"), file, String(TRIALS)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** Lets a process load sources and kills it so many parts after it has acknowledged some; answers how many. */
async function loadUntilKilled(file: string, sources: number, parts: number): Promise<number> {
  const child = startLoading(file);
  const exited = once(child, "exit");
  let stored = 0;
  let fresh = 0;
  let begun = 0;
  for await (const line of createInterface(child.stdout)) {
    if (line.startsWith("open ")) stored = Number(line.slice(5));
    else if (line === "part") begun += fresh >= sources ? 1 : 0;
    else {
      stored = Number(line) + 1;
      fresh++;
    }
    if (fresh >= sources && begun >= parts) child.kill("SIGKILL");
  }
  const [code, signal] = (await exited) as [number | null, string | null];
  expect([code, signal]).toEqual([null, "SIGKILL"]);
  return stored;
}

/** How many sources the file holds, each of them whole. */
async function wholeSources(file: string): Promise<number> {
  const engine = await openEngine({ path: file, threads: 1 });
  try {
    const evaluations = await engine.listEvaluations(PROJECT);
    const ids = evaluations.map(({ id }) => id).toSorted((a, b) => Number(a.slice(1)) - Number(b.slice(1)));
    expect(ids).toEqual(ids.map((_id, n) => `e${n}`));
    expect(evaluations.filter(({ trial_count }) => trial_count !== TRIALS)).toEqual([]);
    const answer = await engine.queryEvalResults(PROJECT, {
      evaluation_call_ids: ids,
      include_summary: true,
    });
    expect(answer.total_rows).toBe(TRIALS);
    const stats = answer.summary?.evaluations.map(({ scorer_stats }) =>
      scorer_stats.map(({ scorer_key, trial_count }) => [scorer_key, trial_count]),
    );
    expect(stats).toEqual(
      ids.map((_id, n) => [
        ["acc", TRIALS],
        [`only-${n}`, TRIALS],
      ]),
    );
    return ids.length;
  } finally {
    await engine.close();
  }
}

it(`a killed process leaves every acknowledged source whole and nothing of the torn one (SEED=${SEED})`, async () => {
  const random = randomNumbers(SEED);
  const file = scratchPath();
  for (let kill = 0; kill < KILLS; kill++) {
    const acknowledged = await loadUntilKilled(file, 1 + Math.floor(random() * 2), Math.floor(random() * 11));
    const found = await wholeSources(file);
    // The last source may be durable without a word of it having come through.
    expect([acknowledged, acknowledged + 1]).toContain(found);
  }
  const engine = await openEngine({ path: file, threads: 1 });
  expect(
    await engine.ingestCalls([root("last"), trial("last-t", 1, {}, { parent_id: "last" })]),
  ).toMatchObject({ stored: 2 });
  await engine.close();
});

it(`a process killed while it makes the file leaves one that can be loaded into (SEED=${SEED})`, async () => {
  const random = randomNumbers(SEED + 1);
  for (let kill = 0; kill < KILLS / 2; kill++) {
    const file = scratchPath();
    const child = startLoading(file);
    child.stdout.resume();
    // It writes for ever: the last of so many changes comes, in the first file or later.
    let changes = 1 + Math.floor(random() * 30);
    const watcher = watch(path.dirname(file), () => --changes > 0 || child.kill("SIGKILL"));
    await once(child, "exit");
    watcher.close();
    const engine = await openEngine({ path: file, threads: 1 });
    await engine.ingestCalls([root("last"), trial("last-t", 1, {}, { parent_id: "last" })]);
    expect(await engine.listEvaluations(PROJECT)).toContainEqual(
      expect.objectContaining({ id: "last", trial_count: 1 }),
    );
    await engine.close();
  }
});
