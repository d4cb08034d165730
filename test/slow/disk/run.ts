import { mkdirSync, realpathSync, rmSync } from "node:fs";
import path from "node:path";
import { seededRandom, type Random } from "../../../src/stats/numeric/random.ts";
import { checkStates, type CheckedState, type Recorded } from "./check-states.ts";
import type { Checkers } from "./checkers.ts";
import { writeFolder } from "./folders.ts";
import { keepRun } from "./kept-runs.ts";
import { chooseStates, randomState } from "./moments.ts";
import { liveFolder, record, writeExpected, type Run } from "./recorded-runs.ts";
import type { Scenario } from "./scenarios.ts";
import type { Tools } from "./sessions.ts";
import { buildStates, stateName } from "./states.ts";

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
  try {
    return await runSessions(context, scenario, folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const nameOf = ({ name }: Scenario) => name.replaceAll(/[ ,]+/g, "-");

async function runSessions(context: Context, scenario: Scenario, folder: string): Promise<Outcome> {
  const { tools, checkers, seed, states } = context;
  const random = seededRandom(seed);
  const expected = await writeExpected(tools.program, scenario.operations, folder);
  const share = Math.ceil((states * (scenario.share ?? 1)) / scenario.sessions.length);
  const failures: Failure[] = [];
  let checked = 0;
  let done = 0;
  for (const [i, session] of scenario.sessions.entries()) {
    const operations = scenario.operations.slice(done, done + session.count);
    const run = await record(tools, session, operations, { folder, done, expected });
    const found = await checkStates(checkers, run, chooseStates(run.entries, share, random), folder);
    const next = await goOn(context, run, session.next, folder, random);
    const all = next.checked === null ? found : [...found, next.checked];
    checked += all.length;
    failures.push(...failuresOf(`${nameOf(scenario)}-${seed}-${i}`, i, run, all));
    if (next.done === null) return { checked, failures, stuck: i };
    done = next.done;
  }
  return { checked, failures, stuck: null };
}

function failuresOf(name: string, session: number, run: Run, found: readonly CheckedState[]): Failure[] {
  const { error } = run;
  const failed = found.filter(({ problems }) => problems.length > 0);
  const kept = failed.length > 0 ? keepRun(name, run) : "";
  return [
    ...(error === null ? [] : [{ session, state: "the run itself", problems: [error], command: "none" }]),
    ...failed.map(({ state, problems }) => {
      const command = `npx tsx test/slow/disk/rebuild.ts ${kept} ${stateName(state)} FOLDER check`;
      return { session, state: stateName(state), problems, command };
    }),
  ];
}

/** How many operations the next session finds, null when it cannot go on; and the state that it finds, where that was built. */
interface Next {
  readonly done: number | null;
  readonly checked: CheckedState | null;
}

/** Makes the disk what the next session finds. */
async function goOn(
  { checkers }: Context,
  run: Run,
  next: Scenario["sessions"][number]["next"],
  folder: string,
  random: Random,
): Promise<Next> {
  if (run.error !== null) return { done: null, checked: null };
  if (next === "end") return { done: run.done + run.count, checked: null };
  const state = randomState(run.entries, next, random);
  const [checked] = await checkStates(checkers, run, [state], folder);
  writeFolder(liveFolder(folder), filesOf(run, state));
  return { done: checked?.prefix ?? null, checked: checked ?? null };
}

function filesOf(run: Recorded, state: CheckedState["state"]): Map<string, Buffer> {
  const [built] = buildStates(run.before, run.entries, [state]);
  if (built === undefined) throw new Error(`the run has no state ${stateName(state)}`);
  return built.files;
}
