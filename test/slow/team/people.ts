import { existsSync, rmSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { openEngine } from "../../../src/index.ts";
import type { Random } from "../../../src/stats/numeric/random.ts";
import { ended, put, start, type Ended } from "../../cli/command.ts";
import { header, jsonLog, sample } from "../../import/inspect-logs.ts";
import { PROJECT } from "../../support/records.ts";
import type { TeamService } from "./team-service.ts";

/** What all of them share. */
export interface Office {
  readonly folder: string;
  readonly service: TeamService;
  readonly random: Random;
  /** What must never happen, as it happened. */
  readonly problems: string[];
  /** What commands said that the service made end. */
  readonly broken: string[];
  /** Names of evaluations whose command ended with status 0, from then on. */
  readonly acknowledged: Set<string>;
  /** Whether others still work. */
  readonly goesOn: () => boolean;
}

export const [ROWS, TRIALS, SAMPLES] = [12, 2, 40];
/** A task takes about so long. */
const TASK_MS = 800;
/** So often a command is given again, as a person would. */
const MOST_TRIES = 100;

function asked(office: Office, key: string, args: readonly string[]): Promise<Ended> {
  const environment = { EVALCUBE_KEY: key, EVALCUBE_DB: office.service.url };
  return ended(start(args, office.folder, environment));
}

/** Gives a command until it ends well; `again` are the arguments of all but the first time. */
async function insist(office: Office, key: string, args: readonly string[], again = args): Promise<void> {
  let last: Ended = await asked(office, key, args);
  for (let tries = 1; last.status !== 0 && tries < MOST_TRIES; tries++) {
    const words = last.stderr.trim();
    if (last.status !== 1 || words === "" || words.includes("    at "))
      office.problems.push(`${args.join(" ")} ended with ${last.status}: ${words}`);
    office.broken.push(words);
    await pause(1000);
    last = await asked(office, key, again);
  }
  if (last.status !== 0) office.problems.push(`${args.join(" ")} never ended well: ${last.stderr}`);
}

/** Runs evaluations, one after the other, and goes on where the service went away for too long. */
export async function logRuns(office: Office, names: readonly string[], pauseMs: number): Promise<void> {
  for (const name of names) {
    const file = put(office.folder, `${name}.eval.ts`, moduleOf(name));
    const args = ["run", file, "--project", PROJECT, "--baseline", "none", "--no-git", "--concurrency", "1"];
    await insist(office, office.service.keys.ann, args, [...args, "--resume"]);
    office.acknowledged.add(name);
    await pause(pauseMs);
  }
}

function moduleOf(name: string): string {
  return `export default {
    name: "${name}", model: "bot", trials: ${TRIALS},
    data: Array.from({ length: ${ROWS} }, (_, n) => ({ n })),
    task: async ({ n }) => {
      await new Promise((resolve) => setTimeout(resolve, ${TASK_MS}));
      return "answer " + n;
    },
    scorers: { right: ({ output }) => output.length % 2 === 0 },
  };\n`;
}

/** Imports logs, one after the other. */
export async function importLogs(office: Office, names: readonly string[], pauseMs: number): Promise<void> {
  for (const name of names) {
    const others = header({}, { eval: { ...header().eval, eval_id: name, task: name } });
    const samples = Array.from({ length: SAMPLES }, (_, n) => sample(n, 1, { right: n % 2 }));
    const file = put(office.folder, `${name}.json`, jsonLog(others, samples));
    await insist(office, office.service.keys.ben, ["import", file, "--project", PROJECT]);
    office.acknowledged.add(nameOfLog(name));
    await pause(pauseMs);
  }
}

/** The name of a log's evaluation: its task and its model. */
export const nameOfLog = (task: string) => `${task}: m`;

const READS: readonly (readonly string[])[] = [
  ["query", "--evaluation", "latest", "--project", PROJECT, "--format", "json"],
  ["leaderboard", "--project", PROJECT],
  ["sql", "select count(*) as trials from trials", "--project", PROJECT],
  ["evaluations", "--project", PROJECT, "--format", "json"],
];

/** Reads, exports and takes backups for as long as others work; resolves to how many backups were whole. */
export async function keepCopies(
  office: Office,
): Promise<{ readonly backups: number; readonly reads: number }> {
  const { job } = office.service.keys;
  const done = { backups: 0, reads: 0 };
  for (let turn = 0; office.goesOn(); turn++) {
    const args = READS[turn % READS.length] ?? [];
    const { status, stderr } = await asked(office, job, args);
    if (status === 0) done.reads++;
    // Before the first evaluation there is nothing to ask, which is the mistake of who asks.
    else if (status !== 1 && office.acknowledged.size > 0) office.problems.push(`${args[0]}: ${stderr}`);
    await exportTrials(office, turn);
    if (await backUp(office, turn)) done.backups++;
    await pause(500 + office.random() * 1500);
  }
  return done;
}

async function exportTrials(office: Office, turn: number): Promise<void> {
  const out = path.join(office.folder, `trials-${turn}.parquet`);
  const args = ["export", "select * from trials", "--project", PROJECT, "--out", out];
  const { status, stderr } = await asked(office, office.service.keys.job, args);
  if (status === 0 && !existsSync(out)) office.problems.push("an export ended well without its file");
  if (status !== 0 && existsSync(out)) office.problems.push(`a part of an export was left: ${stderr}`);
  rmSync(out, { force: true });
}

/** Takes a backup and looks at it: whole, and with all that was acknowledged before it began. */
async function backUp(office: Office, turn: number): Promise<boolean> {
  const out = path.join(office.folder, `backup-${turn}.duckdb`);
  const before = [...office.acknowledged];
  const { status, stderr } = await asked(office, office.service.keys.job, ["backup", "--out", out]);
  if (status !== 0) {
    if (existsSync(out)) office.problems.push(`a part of a backup was left: ${stderr}`);
    return false;
  }
  const checked = await ended(start(["check", "--db", out], office.folder));
  if (checked.status !== 0) office.problems.push(`a backup is not whole: ${checked.stderr}`);
  const counts = await trialCounts(out);
  const missing = before.filter((name) => !counts.has(name));
  if (missing.length > 0) office.problems.push(`backup ${turn} lacks ${missing.join(", ")}`);
  rmSync(out);
  return true;
}

/** Of each evaluation of a file, by its name: its trials, one count for each evaluation that has it. */
export async function trialCounts(file: string): Promise<Map<string, readonly number[]>> {
  const engine = await openEngine({ path: file, readOnly: true });
  const counts = new Map<string, readonly number[]>();
  for (const { display_name: name, trial_count: trials } of await engine.listEvaluations(PROJECT))
    counts.set(name ?? "", [...(counts.get(name ?? "") ?? []), trials]);
  await engine.close();
  return counts;
}
