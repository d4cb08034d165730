import { readFileSync } from "node:fs";
import path from "node:path";
import { checkState } from "./check-state.ts";
import { DATABASE } from "./check-states.ts";
import type { Expected } from "./expected.ts";
import { writeFolder } from "./folders.ts";
import { readKeptRun } from "./kept-runs.ts";
import { buildStates, parseState } from "./states.ts";

/**
 * `npx tsx test/slow/disk/rebuild.ts RUN STATE FOLDER [check]`: makes FOLDER what the disk held at a moment of a run that
 * was kept; with `check`, opens the database there, which changes it, and says what is wrong.
 */
const [, , run = "", state = "", folder = "", check] = process.argv;
const recorded = readKeptRun(run);
const [built] = buildStates(recorded.before, recorded.entries, [parseState(state)]);
if (built === undefined) throw new Error(`${state}: the run has no such state`);
writeFolder(folder, built.files);
const from = recorded.done + built.acknowledged;
const to = Math.min(recorded.done + recorded.count, from + 1);
process.stdout.write(
  `${folder}: ${[...built.files.keys()].join(", ")}; ${from} to ${to} operations must be there\n`,
);
if (check !== undefined) {
  const expected = JSON.parse(readFileSync(recorded.expected, "utf8")) as Expected[];
  const verdict = await checkState(path.join(folder, DATABASE), expected, from, to);
  process.stdout.write(`${JSON.stringify(verdict, null, 2)}\n`);
}
