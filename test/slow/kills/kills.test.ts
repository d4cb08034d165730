import { mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startCheckers, type Checkers } from "../disk/checkers.ts";
import { fastFolder } from "../disk/folders.ts";
import { buildProgram } from "../disk/toolchain.ts";
import { killExports } from "./exports.ts";
import { killMany, type Context, type Tally } from "./lineages.ts";
import { ingestVictim, serveVictim } from "./victims.ts";

const SEED = Number(process.env["SEED"] ?? 808);
/** How many processes are killed: two in five load, three in ten serve, three in ten export. */
const KILLS = Number(process.env["KILLS"] ?? 1000);

describe(`a command that is killed at a random moment (SEED=${SEED})`, () => {
  const scratch = mkdtempSync(path.join(fastFolder(), "evalcube-kills-"));
  let checkers: Checkers;
  let context: Context;

  beforeAll(() => {
    const program = buildProgram(scratch);
    checkers = startCheckers(program, 2);
    context = { program, checkers, scratch, seed: SEED };
  });

  afterAll(() => {
    checkers.close();
    rmSync(scratch, { recursive: true, force: true });
  });

  it("has loaded what it acknowledged, once, and no part of a file", async () => {
    const { kills, problems } = told(await killMany(context, ingestVictim(), KILLS * 0.4));
    expect(problems).toEqual([]);
    expect(kills).toBeGreaterThanOrEqual(KILLS * 0.4);
  });

  it("has stored the feedback and the training records that it answered, once", async () => {
    const { kills, problems } = told(await killMany(context, serveVictim(), KILLS * 0.3));
    expect(problems).toEqual([]);
    expect(kills).toBeGreaterThanOrEqual(KILLS * 0.3);
  });

  it("leaves the file it was to replace or the whole new one, and nothing beside it once another is written", async () => {
    const { kills, problems } = told(await killExports(context, KILLS * 0.3));
    expect(problems).toEqual([]);
    expect(kills).toBeGreaterThanOrEqual(KILLS * 0.3);
  });
});

function told(tally: Tally): Tally {
  process.stdout.write(
    `${tally.kills} kills, ${tally.problems.length} problems\n${tally.problems.join("\n")}\n`,
  );
  return tally;
}
