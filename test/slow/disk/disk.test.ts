import { mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startCheckers, type Checkers } from "./checkers.ts";
import { fastFolder } from "./folders.ts";
import { report } from "./report.ts";
import { runScenario } from "./run.ts";
import { scenarios } from "./scenarios.ts";
import type { Tools } from "./sessions.ts";
import { buildProgram, buildRecorder, recorderMissing } from "./toolchain.ts";

const SEED = Number(process.env["SEED"] ?? 707);
/** How many states of the disk are rebuilt of a scenario. */
const STATES = Number(process.env["DISK_STATES"] ?? 150);
/** Part of the names of the scenarios to run; default: all. */
const ONLY = process.env["DISK_ONLY"] ?? "";
const missing = recorderMissing();

describe("a database whose process or machine stopped at any moment", () => {
  const scratch = mkdtempSync(path.join(fastFolder(), "evalcube-disk-"));
  let tools: Tools;
  let checkers: Checkers;

  beforeAll(() => {
    if (missing !== null) return;
    tools = { library: buildRecorder(scratch), program: buildProgram(scratch) };
    checkers = startCheckers(tools.program, 2);
  });

  afterAll(() => {
    checkers?.close();
    rmSync(scratch, { recursive: true, force: true });
  });

  it.for(scenarios(SEED, ONLY))(
    `has all that was acknowledged, once: $name (SEED=${SEED})`,
    async (scenario, { skip }) => {
      skip(missing !== null, missing ?? "");
      const context = { tools, checkers, scratch, seed: SEED, states: STATES };
      const { checked, failures, stuck } = await runScenario(context, scenario);
      process.stdout.write(report(scenario.name, checked, failures));
      expect(failures.map(({ state }) => state)).toEqual([]);
      expect(stuck, "the session after which none could go on").toBeNull();
      expect(checked).toBeGreaterThan(scenario.sessions.length);
    },
  );
});
