import { at, isJsonObject } from "../model/json.ts";
import { readSettings, type RunnerOptions } from "./options.ts";
import { createRecorder, type Recorder } from "./recorder.ts";
import { amountOf, takeCalls, takeJson, takeScores, takeUsage, textOf, type ToldTrial } from "./told.ts";
import { callsOf, firstInput, judgedScores, tokenUsage } from "./vitest-evals.ts";

export type { RunnerOptions } from "./options.ts";

/** What is used of Vitest, the same in its versions 3, 4 and 5. */
interface VitestLike {
  readonly version: string;
  readonly config: { readonly root: string };
}

/** A test file, or a `describe` in it, as Vitest reports it. */
interface ReportedParent {
  readonly type: "module" | "suite";
  readonly name?: string;
  readonly parent?: ReportedParent;
}

/** A test as Vitest reports it. Times are milliseconds. */
interface ReportedTest {
  readonly name: string;
  readonly module: { readonly moduleId: string };
  readonly parent: ReportedParent;
  readonly result: () => { readonly state: string; readonly errors?: readonly object[] | undefined };
  readonly diagnostic: () => { readonly startTime: number; readonly duration: number } | undefined;
  readonly meta: () => object;
}

/**
 * A reporter for Vitest that stores tests as trials: of each top-level `describe` of a file an evaluation, of each test
 * that ran a trial with the score `passed` and what vitest-evals or `task.meta.evalcube` tell. It prints a line on
 * standard error, and changes nothing else of the run.
 */
export default class EvalcubeReporter {
  // Vitest copies reporters member by member, so what they know is in none.
  readonly onInit: (vitest: VitestLike) => void;
  readonly onTestRunStart: () => void;
  readonly onTestCaseResult: (test: ReportedTest) => void;
  readonly onTestRunEnd: () => Promise<void>;

  /** Throws `invalid_option` on an unknown option, and on a value that is not allowed. */
  constructor(options: RunnerOptions = {}) {
    let settings = readSettings(options, process.cwd());
    let runner = "vitest";
    let runs = 0;
    let recorder: Recorder | null = null;
    this.onInit = ({ version, config }) => {
      runner = `vitest ${version}`;
      settings = readSettings(options, config.root);
    };
    this.onTestRunStart = () => void runs++;
    this.onTestCaseResult = (test) => {
      const { state } = test.result();
      if (state !== "passed" && state !== "failed") return;
      // With watching, each run after the first is one of its own.
      const run = runs <= 1 ? settings.run : `${settings.run}-${runs}`;
      recorder ??= createRecorder({ ...settings, run }, runner);
      const model = modelOf(test.meta(), settings.model);
      recorder.add({ ...suiteOf(test), model }, () => readTest(test, state));
    };
    this.onTestRunEnd = async () => {
      const ended = recorder;
      recorder = null;
      await ended?.end();
      process.stderr.write(ended?.lines() ?? "");
    };
  }
}

function modelOf(meta: object, option: string | undefined): string | undefined {
  const harness = at(meta, "harness");
  const told = textOf(at(meta, "evalcube", "model")) ?? textOf(at(harness, "run", "usage", "model"));
  return told ?? option ?? textOf(at(harness, "name"));
}

/** The names of the `describe`s around a test, the outermost first. */
function suitesAround(test: ReportedTest): string[] {
  const names: string[] = [];
  for (let one: ReportedParent | undefined = test.parent; one?.type === "suite"; one = one.parent)
    names.unshift(one.name ?? "");
  return names;
}

function suiteOf(test: ReportedTest) {
  return { file: test.module.moduleId, name: textOf(suitesAround(test)[0]) ?? "" };
}

function readTest(test: ReportedTest, state: string): ToldTrial {
  const { startTime = Date.now(), duration = 0 } = test.diagnostic() ?? {};
  const start = Math.round(startTime);
  const end = start + Math.round(duration);
  const meta = test.meta();
  const run = at(meta, "harness", "run");
  const latency = amountOf(at(run, "timings", "totalMs")) ?? duration;
  const own = at(meta, "evalcube");
  const members = [own, at(own, "scores")];
  const taking = { leftOut: members.filter((one) => one != null && !isJsonObject(one)).length };
  const input = takeJson(taking, at(own, "input") ?? firstInput(run));
  const output = takeJson(taking, at(own, "output") ?? at(run, "output") ?? at(meta, "eval", "output"));
  const name = [...suitesAround(test).slice(1), test.name].join(" > ");
  const { errors = [] } = test.result();
  const error = state === "passed" ? undefined : errors.find((one) => !isAssertion(one));
  return {
    row: input === undefined ? { test: name } : { test: name, input },
    startedAt: new Date(start),
    answeredAt: new Date(start + Math.round(latency)),
    endedAt: new Date(end),
    output: output ?? state,
    usage: takeUsage(taking, at(own, "usage") ?? tokenUsage(at(run, "usage"))),
    ...takeScores(taking, [...scoresOf(meta), { name: "passed", value: state === "passed" }]),
    calls: takeCalls(taking, callsOf(run, start, end)),
    ...(error === undefined ? {} : { error }),
    leftOut: taking.leftOut,
  };
}

/**
 * Of `expect` and `assert`; one of a matcher that `expect.extend` added has another name, and tells what it expected as
 * well.
 */
function isAssertion(error: object): boolean {
  return at(error, "name") === "AssertionError" || ("actual" in error && "expected" in error);
}

/** What a test tells itself wins, score by score. */
function scoresOf(meta: object) {
  const told = at(meta, "evalcube", "scores");
  const own = Object.entries(isJsonObject(told) ? told : {}).map(([name, value]) => ({ name, value }));
  return [...judgedScores(meta).filter((judged) => own.every(({ name }) => name !== judged.name)), ...own];
}
