import { at } from "../model/json.ts";
import { beforeExit } from "./before-exit.ts";
import type { RunnerSettings } from "./options.ts";
import { createRecorder, type Recorder, type Suite } from "./recorder.ts";
import {
  amountOf,
  sumOf,
  takeCalls,
  takeJson,
  takeScores,
  takeUsage,
  textOf,
  type ToldTrial,
} from "./told.ts";
import { isoOf } from "./vitest-evals.ts";

/**
 * What a storage of evalite stores; a suite is an eval and a result a result before 1.0, and a result an eval from then
 * on.
 */
export type Kind = "run" | "suite" | "result" | "score" | "trace";

/** Hears what a storage stores, and makes trials of it. Nothing of it throws or rejects. */
export interface Results {
  /** Before a call is passed on. */
  readonly before: (kind: Kind) => void;
  /** When a call was answered; resolves when what must be durable is. */
  readonly after: (kind: Kind, given: unknown, answer: unknown) => Promise<void>;
  /** Resolves when all is durable; evals under way have no end. Others may have the database then. */
  readonly close: () => Promise<void>;
  /** What people are to read of the run. */
  readonly lines: () => string;
}

/** A result that has ended, with what followed it. */
interface Ended {
  readonly suite: Suite;
  readonly result: unknown;
  readonly order: unknown;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly scores: unknown[];
  readonly traces: unknown[];
}

interface State {
  readonly settings: RunnerSettings;
  readonly runner: string;
  recorder: Recorder;
  runs: number;
  /** By the ids that the storage gave; those of suites that have results under way. */
  readonly suites: Map<unknown, Suite>;
  readonly open: Set<unknown>;
  readonly results: Map<unknown, { readonly suite: unknown; readonly order: unknown }>;
  readonly ended: Map<unknown, Ended>;
  timer: NodeJS.Timeout | undefined;
  /** Set while there is something that has no end. */
  release: (() => void) | null;
}

/** So long after a call no other one comes that belongs to it. */
const PAUSE_MS = 300;
/** Evalite calls an eval ended whenever none of its results is under way; so long after that no other one comes. */
const END_MS = 2000;

export function createResults(settings: RunnerSettings, runner: string): Results {
  const maps = { suites: new Map(), open: new Set(), results: new Map(), ended: new Map() };
  const recorder = createRecorder(settings, runner);
  const state: State = { settings, runner, recorder, runs: 0, timer: undefined, release: null, ...maps };
  return {
    before: (kind) => {
      clearTimeout(state.timer);
      // Calls that only read come from evalite's page as well, at any time.
      if (kind !== "score" && kind !== "trace") complete(state);
    },
    after: async (kind, given, answer) => {
      await HEAR[kind](state, given, answer);
      state.release ??= beforeExit(() => finish(state));
      state.timer = setTimeout(() => {
        complete(state);
        // While evalite watches, others may have the database.
        if (state.open.size === 0) state.timer = setTimeout(() => void finish(state), END_MS).unref();
      }, PAUSE_MS);
    },
    close: () => finish(state),
    lines: () => state.recorder.lines(),
  };
}

const HEAR: Record<Kind, (state: State, given: unknown, answer: unknown) => Promise<void> | void> = {
  /** While evalite watches, each run after the first is one of its own. */
  run: async (state) => {
    if (++state.runs === 1) return;
    const { recorder, settings, runs, runner, open } = state;
    await finish(state);
    open.clear();
    process.stderr.write(recorder.lines());
    state.recorder = createRecorder({ ...settings, run: `${settings.run}-${runs}` }, runner);
  },
  suite: async ({ recorder, settings, suites, open }, given, answer) => {
    const name = textOf(at(given, "name"));
    const suite = suites.get(at(given, "id"));
    if (name !== undefined) {
      const model = textOf(at(given, "variantName")) ?? settings.model;
      suites.set(at(answer, "id"), { file: textOf(at(given, "filepath")) ?? "", name, model });
    } else if (suite !== undefined && at(given, "status") !== "running") {
      open.delete(at(given, "id"));
      await recorder.save(suite);
    }
  },
  result: ({ suites, open, results, ended }, given, answer) => {
    const id = at(given, "id") ?? at(answer, "id");
    const told = { suite: at(given, "suiteId") ?? at(given, "evalId"), order: at(given, "order") };
    const known = results.get(id) ?? told;
    results.set(id, known);
    const suite = suites.get(known.suite);
    if (suite === undefined) return;
    open.add(known.suite);
    if (at(given, "status") === "running") return;
    const { order } = known;
    ended.set(id, { suite, result: given, order, at: Date.now(), scores: [], traces: [] });
  },
  score: ({ ended }, given) => void endedOf(ended, given)?.scores.push(given),
  trace: ({ ended }, given) => void endedOf(ended, given)?.traces.push(given),
};

function endedOf(ended: State["ended"], given: unknown): Ended | undefined {
  return ended.get(at(given, "resultId") ?? at(given, "evalId"));
}

/** Ends the evals of which nothing is under way; those that were interrupted have no end. */
async function finish(state: State): Promise<void> {
  clearTimeout(state.timer);
  complete(state);
  const { open, suites, recorder } = state;
  await recorder.end(Array.from(open, (id) => suites.get(id)).filter((suite) => suite !== undefined));
  state.release?.();
  state.release = null;
}

function complete({ recorder, ended }: State): void {
  for (const one of ended.values()) recorder.add(one.suite, () => readResult(one));
  ended.clear();
}

const TIMED_OUT = { name: "TimeoutError", message: "evalite ended the test before it gave a result" };

function readResult({ result, order, at: end, scores, traces }: Ended): ToldTrial {
  const taking = { leftOut: 0 };
  const start = end - Math.round(amountOf(at(result, "duration")) ?? 0);
  const isFailed = at(result, "status") === "fail";
  // Such a test has neither input nor output.
  const isTimedOut = isFailed && at(result, "input") === "" && (at(result, "output") ?? null) === null;
  const input = isTimedOut ? undefined : takeJson(taking, at(result, "input"));
  const expected = takeJson(taking, at(result, "expected"));
  return {
    row: input === undefined ? { order } : { input, ...(expected === undefined ? {} : { expected }) },
    startedAt: new Date(start),
    endedAt: new Date(end),
    output: takeJson(taking, at(result, "output")) ?? null,
    usage: takeUsage(taking, usageOf(traces)),
    ...takeScores(taking, scores.map(scoreOf)),
    calls: takeCalls(taking, callsOf(traces, start, end)),
    ...(isFailed ? { error: isTimedOut ? TIMED_OUT : at(result, "output") } : {}),
    leftOut: taking.leftOut,
  };
}

/** The reason is the description and the metadata. */
function scoreOf(score: unknown) {
  const parts = [at(score, "description"), at(score, "metadata")].filter((part) => part != null);
  const reason = parts.map((part) => (typeof part === "string" ? part : JSON.stringify(part))).join("\n");
  return {
    name: String(at(score, "name")),
    value: at(score, "score"),
    higher: true as const,
    ...(reason === "" ? {} : { reason }),
  };
}

const COUNTS = { input_tokens: "inputTokens", output_tokens: "outputTokens", total_tokens: "totalTokens" };

/** The sums over traces; undefined where none has counts. */
function usageOf(traces: readonly unknown[]): object | undefined {
  const sums = Object.entries(COUNTS).map(
    ([name, told]) => [name, sumOf(traces.map((trace) => at(trace, told)))] as const,
  );
  return sums.every(([, sum]) => sum === undefined) ? undefined : Object.fromEntries(sums);
}

/** The clock of traces begins anywhere, so the last one is put at the end of the result. Times are milliseconds. */
function callsOf(traces: readonly unknown[], start: number, end: number) {
  const last = Math.max(...traces.map((trace) => amountOf(at(trace, "end")) ?? 0));
  return traces.map((trace) => {
    const timeOf = (name: string) => Math.max(start, end - last + (amountOf(at(trace, name)) ?? last));
    const usage = usageOf([trace]);
    return {
      op_name: "trace",
      attributes: { "gen_ai.operation.name": "chat" },
      inputs: { input: at(trace, "input") },
      output: at(trace, "output"),
      started_at: isoOf(Math.min(timeOf("start"), timeOf("end"))),
      ended_at: isoOf(timeOf("end")),
      ...(usage === undefined ? {} : { summary: { usage: { trace: usage } } }),
    };
  });
}
