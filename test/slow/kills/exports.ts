import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openEngine } from "../../../src/index.ts";
import { seededRandom, type Random } from "../../../src/stats/numeric/random.ts";
import { PROJECT } from "../../support/records.ts";
import { largeRecords } from "../disk/operations.ts";
import { createPace, startCommand, type Pace, type RunningCommand } from "./killed-command.ts";
import { ENOUGH_PROBLEMS, type Context, type Tally } from "./lineages.ts";

const FORMATS = ["parquet", "csv", "jsonl", "arrow"] as const;
const BEFORE = "what was there before\n";
/** After so many kills an export is let be. */
const KILLS_A_ROUND = 5;

interface Exporter {
  readonly program: string;
  readonly database: string;
  readonly folder: string;
  readonly pace: Pace;
  readonly random: Random;
}

/** Kills exports into one folder; after some, one that is not disturbed must tidy up. */
export async function killExports({ program, scratch, seed }: Context, kills: number): Promise<Tally> {
  const tally: Tally = { kills: 0, problems: [] };
  const folder = path.join(scratch, "exports");
  mkdirSync(folder);
  const database = path.join(scratch, "exported.duckdb");
  const engine = await openEngine({ path: database });
  await engine.ingestCalls(largeRecords({ kind: "large", id: "e", trials: 20_000, bytes: 200 }));
  await engine.close();
  const stored = readFileSync(database);
  const exporter = { program, database, folder, pace: createPace(800), random: seededRandom(seed) };
  const whole = new Map<string, Buffer>();
  for (const format of FORMATS) whole.set(format, await wholeExport(exporter, format));
  for (let round = 0; tally.kills < kills && tally.problems.length < ENOUGH_PROBLEMS; round++) {
    const format = FORMATS[round % FORMATS.length] ?? "csv";
    const wanted = whole.get(format) ?? Buffer.alloc(0);
    for (let i = 0; i < KILLS_A_ROUND; i++) await killExport(exporter, format, wanted, tally);
    const again = await wholeExport(exporter, format);
    if (!again.equals(wanted)) tally.problems.push(`round ${round}: ${format}: another file after kills`);
    const left = readdirSync(folder).filter((name) => name.startsWith(".evalcube-"));
    if (left.length > 0) tally.problems.push(`round ${round}: left over: ${left.join(", ")}`);
    if (!readFileSync(database).equals(stored))
      tally.problems.push(`round ${round}: the database has changed`);
  }
  rmSync(folder, { recursive: true });
  return tally;
}

function startExport({ program, database, folder }: Exporter, format: string) {
  const args = ["export", "--db", database, "--project", PROJECT, "--evaluation", "e", "--format", format];
  return startCommand(program, [...args, "--out", path.join(folder, `trials.${format}`)]);
}

async function wholeExport(exporter: Exporter, format: string): Promise<Buffer> {
  const began = performance.now();
  const { status, stderr } = await startExport(exporter, format).ended;
  if (status !== 0) throw new Error(`the export ended with ${status}: ${stderr}`);
  exporter.pace.took(performance.now() - began);
  return readFileSync(path.join(exporter.folder, `trials.${format}`));
}

/** At any time of a run, or soon after it has begun to write. */
async function momentOf({ folder, pace, random }: Exporter, { child }: RunningCommand): Promise<void> {
  if (random() < 0.4) return sleep(pace.moment(random));
  const before = new Set(readdirSync(folder));
  while (child.exitCode === null && readdirSync(folder).every((name) => before.has(name))) await sleep(1);
  return sleep(random() * 40);
}

/** The file is the one before or the whole new one. */
async function killExport(exporter: Exporter, format: string, whole: Buffer, tally: Tally): Promise<void> {
  const file = path.join(exporter.folder, `trials.${format}`);
  writeFileSync(file, BEFORE);
  const running = startExport(exporter, format);
  void momentOf(exporter, running).then(() => running.child.kill("SIGKILL"));
  const { killed } = await running.ended;
  if (killed) tally.kills++;
  const found = readFileSync(file);
  if (!found.equals(whole) && (!killed || found.toString("latin1") !== BEFORE))
    tally.problems.push(`${format}: a torn file of ${found.length} bytes after ${tally.kills} kills`);
}
