import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import type { Shape } from "./calls.ts";
import type { Measured } from "./measure.ts";

/*
 * What steps of agents cost, after `npm run build`: a load of trials with steps, then the first answer of each question
 * by an engine that was opened for it; a trial of a million steps and a chain of 100,000; and with `--before PATH`, which
 * names a built checkout of an earlier version, what loads, pages and summaries take in turns with it. Each figure
 * stands beside its bar. On Linux.
 */

const { values } = parseArgs({
  options: {
    trials: { type: "string", default: "10000" },
    steps: { type: "string", default: "60" },
    before: { type: "string" },
    rounds: { type: "string", default: "6" },
  },
});

const folder = await mkdtemp(path.join(tmpdir(), "evalcube-bench-steps-"));

function measured(question: string, file: string, more: Readonly<Record<string, string>> = {}): Measured {
  const given = Object.entries({ question, file, ...more }).map(([name, value]) => `--${name}=${value}`);
  const script = path.join(import.meta.dirname, "measure.ts");
  const said = execFileSync(process.execPath, ["--import", "tsx", script, ...given], { encoding: "utf8" });
  return JSON.parse(said) as Measured;
}

const shapeOf = (shape: Shape) => ({ shape: JSON.stringify(shape) });
const cell = (value: number) => value.toFixed(0).padStart(10);

function show(name: string, { wall, processor, held, peak }: Measured, bar: string): void {
  console.log(`${name.padEnd(22)}${[wall, processor, held, peak].map(cell).join("")}  ${bar}`);
}

/** The load, and questions of its file with their bars. */
function showAll(name: string, shape: Shape, bars: Readonly<Record<string, string>>): void {
  console.log(`\n${name}${" ".repeat(Math.max(1, 27 - name.length))}wall  processor  held  peak MB  bar`);
  const file = path.join(folder, `${name}.duckdb`);
  show("load", measured("load", file, shapeOf(shape)), "");
  for (const [question, bar] of Object.entries(bars)) show(question, measured(question, file), bar);
}

/** Processor time now by that of an earlier version, each the sum of several rounds in turns. */
function showRatios(before: string, rounds: number): void {
  const shape = shapeOf({ trials: 4000, steps: 40, chain: false });
  const versions = [path.join(import.meta.dirname, "../.."), before] as const;
  const sums = new Map<string, number[]>();
  const add = (question: string, i: number, { processor }: Measured) => {
    const own = sums.get(question) ?? [0, 0];
    own[i] = (own[i] ?? 0) + processor;
    sums.set(question, own);
  };
  for (let round = 0; round < rounds; round++)
    for (const [i, version] of versions.entries()) {
      const file = path.join(folder, `of ${i} ${round}.duckdb`);
      add("load", i, measured("load", file, { version, ...shape }));
      for (const question of ["page", "summary"])
        add(question, i, measured(question, file, { version, times: "40" }));
    }
  console.log("\n4,000 trials of 40 calls   now / before  bar");
  for (const [question, [now = 0, then = 1]] of sums)
    console.log(
      `${question.padEnd(27)}${(now / then).toFixed(3).padStart(12)}  ${question === "load" ? 1.6 : 1.03}`,
    );
}

const asked = { trials: Number(values.trials), steps: Number(values.steps), chain: false };
showAll(`${values.trials} trials of ${values.steps}`, asked, {
  tools: "250 ms",
  diff: "1,000 ms",
  trial: "20 ms",
  sorted: "250 ms",
});
showAll(
  "a trial of 1,000,000",
  { trials: 1, steps: 1_000_000, chain: false },
  { trial: "2,000 ms, 512 MiB" },
);
showAll(
  "a chain of 100,000",
  { trials: 1, steps: 100_000, chain: true },
  { trial: "2,000 ms", sql: "2,000 ms" },
);
if (values.before !== undefined) showRatios(values.before, Number(values.rounds));
await rm(folder, { recursive: true });
