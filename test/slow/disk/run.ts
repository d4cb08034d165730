import { execFileSync } from "node:child_process";
import { mkdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { seededRandom, type Random } from "../../../src/stats/random.ts";
import { checkBuilt, checkStates, DATABASE, type Recorded } from "./check-states.ts";
import type { Checkers } from "./checkers.ts";
import { readFolder, writeFolder } from "./folders.ts";
import { keepRun } from "./kept-runs.ts";
import { chooseStates, randomState } from "./moments.ts";
import type { Operation } from "./operations.ts";
import type { Scenario, Next } from "./scenarios.ts";
import { recordSession, type Session, type Tools } from "./sessions.ts";
import { buildStates, stateName } from "./states.ts";
import { readTrace } from "./trace.ts";

export interface Context {
  readonly tools: Tools;
  readonly checkers: Checkers;
  readonly scratch: string;
  readonly seed: number;
  /** How many states of a scenario. */
  readonly states: number;
}

/** A state that does not hold what it must. */
export interface Failure {
  readonly session: number;
  readonly state: string;
  readonly problems: readonly string[];
  /** What shows this state again. */
  readonly command: string;
}

export interface Outcome {
  readonly checked: number;
  readonly failures: readonly Failure[];
  /** The session after which none could go on; null when all ran. */
  readonly stuck: number | null;
}

/** Records the sessions of a scenario and checks states of each. */
export async function runScenario(context: Context, scenario: Scenario): Promise<Outcome> {
  const folder = path.join(realpathSync(context.scratch), nameOf(scenario));
  for (const one of ["live", "scratch"]) mkdirSync(path.join(folder, one), { recursive: true });
  const random = seededRandom(context.seed);
  const expected = expectation(context.tools, scenario.operations, folder);
  const share = Math.ceil(context.states / scenario.sessions.length);
  const failures: Failure[] = [];
  let checked = 0;
  let done = 0;
  for (const [i, session] of scenario.sessions.entries()) {
    const operations = scenario.operations.slice(done, done + session.count);
    const recorded = await record(context.tools, session, operations, { folder, done, expected });
    const states = chooseStates(recorded.entries, share, random);
    if (recorded.error !== null)
      failures.push({ session: i, state: "recording", problems: [recorded.error], command: "" });
    const found = await checkStates(context.checkers, recorded, states, folder);
    checked += found.length;
    const failed = found.filter(({ problems }) => problems.length > 0);
    const kept = failed.length > 0 ? keepRun(`${nameOf(scenario)}-${context.seed}-${i}`, recorded) : "";
    for (const { state, problems } of failed) {
      const name = stateName(state);
      const command = `npx tsx test/slow/disk/rebuild.ts ${kept} ${name} FOLDER check`;
      failures.push({ session: i, state: name, problems, command });
    }
    const stored =
      recorded.error !== null ? null : await goOn(context.checkers, recorded, session.next, folder, random);
    if (stored === null) return { checked, failures, stuck: i };
    done = stored;
  }
  rmSync(folder, { recursive: true });
  return { checked, failures, stuck: null };
}

const nameOf = ({ name }: Scenario) => name.replaceAll(" ", "-");

function expectation({ program }: Tools, operations: readonly Operation[], folder: string): string {
  const [input, output] = [path.join(folder, "operations.json"), path.join(folder, "expected.json")];
  writeFileSync(input, JSON.stringify(operations));
  const script = path.join(program, "test/slow/disk/children/expectation.js");
  execFileSync(process.execPath, [script, input, output], { stdio: "inherit" });
  return output;
}

interface Place {
  readonly folder: string;
  readonly done: number;
  readonly expected: string;
}

async function record(
  tools: Tools,
  session: Session,
  operations: readonly Operation[],
  { folder, done, expected }: Place,
): Promise<Recorded & { readonly error: string | null }> {
  const live = path.join(folder, "live");
  const trace = path.join(folder, "trace");
  const scratch = path.join(folder, "scratch");
  rmSync(trace, { force: true });
  rmSync(path.join(live, "marks"), { force: true });
  const before = readFolder(live);
  const recording = { folder: live, database: path.join(live, DATABASE), trace, scratch };
  const error = await recordSession(tools, session, operations, recording).then(
    () => null,
    (reason: unknown) => String(reason),
  );
  rmSync(path.join(live, "marks"), { force: true });
  return { before, entries: readTrace(trace), trace, done, count: operations.length, expected, error };
}

/** Makes the disk what the next session finds; answers how many operations that holds, null when it cannot be told. */
async function goOn(
  checkers: Checkers,
  recorded: Recorded,
  next: Next,
  folder: string,
  random: Random,
): Promise<number | null> {
  if (next === "end") return recorded.done + recorded.count;
  const [built] = buildStates(recorded.before, recorded.entries, [
    randomState(recorded.entries, next, random),
  ]);
  if (built === undefined) return null;
  const { prefix } = await checkBuilt(checkers, recorded, built, path.join(folder, "next"));
  writeFolder(path.join(folder, "live"), built.files);
  return prefix;
}
