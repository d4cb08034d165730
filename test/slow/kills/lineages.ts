import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { seededRandom, type Random } from "../../../src/stats/numeric/random.ts";
import { DATABASE } from "../disk/check-states.ts";
import type { Checkers } from "../disk/checkers.ts";
import { readFolder, writeFolder } from "../disk/folders.ts";
import { operationWriter, type Operation, type Weights } from "../disk/operations.ts";
import { writeExpected } from "../disk/recorded-runs.ts";

export interface Context {
  readonly program: string;
  readonly checkers: Checkers;
  readonly scratch: string;
  readonly seed: number;
}

/** A process that does operations on a database one after another and is killed at some moment, unless it ends before. */
export interface Victim {
  readonly weights: Weights;
  /** How many operations a process is given at most. */
  readonly each: number;
  readonly run: (place: VictimPlace, operations: readonly Operation[], random: Random) => Promise<VictimEnd>;
}

export interface VictimPlace {
  readonly program: string;
  readonly database: string;
  readonly scratch: string;
}

export interface VictimEnd {
  readonly killed: boolean;
  /** How many operations it had acknowledged. */
  readonly acknowledged: number;
}

export interface Tally {
  kills: number;
  readonly problems: string[];
}

const LINEAGE = 24;
/** Whoever sees so many need not wait for the others. */
export const ENOUGH_PROBLEMS = 10;
const KEPT = process.env["DISK_KEEP"] ?? path.join(tmpdir(), "evalcube-disk-runs");

/** Kills so many processes, one after another on databases that live on, with two databases at a time. */
export async function killMany(context: Context, victim: Victim, kills: number): Promise<Tally> {
  const tally: Tally = { kills: 0, problems: [] };
  let lineage = 0;
  const work = async () => {
    while (tally.kills < kills && tally.problems.length < ENOUGH_PROBLEMS)
      await killAlong(context, victim, kills, tally, lineage++);
  };
  await Promise.all(Array.from({ length: context.checkers.count }, work));
  return tally;
}

/** One database, from its first operation to its last. */
async function killAlong(
  { program, checkers, scratch, seed }: Context,
  victim: Victim,
  kills: number,
  tally: Tally,
  lineage: number,
): Promise<void> {
  const random = seededRandom(seed * 10_000 + lineage);
  const folder = mkdtempSync(path.join(scratch, "lineage-"));
  const live = path.join(folder, "live");
  for (const one of ["live", "scratch"]) mkdirSync(path.join(folder, one), { recursive: true });
  const operations = operationWriter(random)(LINEAGE, victim.weights);
  const expected = await writeExpected(program, operations, folder);
  const place = { program, database: path.join(live, DATABASE), scratch: path.join(folder, "scratch") };
  for (let done = 0; done < LINEAGE && tally.kills < kills;) {
    const given = operations.slice(done, done + victim.each);
    const { killed, acknowledged } = await victim.run(place, given, random);
    const from = done + acknowledged;
    if (killed) tally.kills++;
    const to = killed ? Math.min(done + given.length, from + 1) : from;
    const found = await checkCopy(checkers, live, path.join(folder, "copy"), { expected, from, to });
    done = found.prefix ?? LINEAGE;
    if (found.problems.length === 0) continue;
    const kept = path.join(KEPT, `killed-${seed}-${lineage}-${from}`);
    writeFolder(kept, found.files);
    tally.problems.push(
      `lineage ${lineage}, ${from} to ${to} operations, kept in ${kept}: ${found.problems.join("; ")}`,
    );
    break;
  }
  rmSync(folder, { recursive: true });
}

/** On a copy: what is checked is stored in, and the next process is to find what the killed one left. */
async function checkCopy(
  checkers: Checkers,
  live: string,
  copy: string,
  wanted: { readonly expected: string; readonly from: number; readonly to: number },
) {
  const files = new Map(Array.from(readFolder(live), ([name, { bytes }]) => [name, bytes]));
  writeFolder(copy, files);
  const { problems, prefix } = await checkers.check({ database: path.join(copy, DATABASE), ...wanted });
  const left = readdirSync(copy).filter((name) => name !== DATABASE);
  const leftOver =
    left.length > 0 && problems.length === 0 ? [`left over after a closing: ${left.join(", ")}`] : [];
  return { files, prefix, problems: [...problems, ...leftOver] };
}
