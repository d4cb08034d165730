import { setImmediate as turn, setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import {
  openEngine,
  type Engine,
  type EvaluationLogger,
  type EvaluationRun,
  type Prediction,
} from "../../src/index.ts";
import { parseJson } from "../../src/model/json.ts";
import { seededRandom, type Random } from "../../src/stats/numeric/random.ts";
import { PROJECT } from "../support/records.ts";

/** What must be stored of a call, since a promise said so. Members that are not there may be anything. */
export interface Fact {
  readonly id: string;
  readonly output?: unknown;
  readonly scores?: Readonly<Record<string, number>>;
  readonly failed?: boolean;
  readonly ended?: boolean;
  /** Of an evaluation. */
  readonly trials?: number;
}

/** A trial as the program knows it. */
interface Known {
  readonly run: EvaluationLogger;
  readonly prediction: Prediction;
  readonly fact: {
    id: string;
    output?: string;
    scores: Record<string, number>;
    failed: boolean;
    ended: boolean;
  };
}

interface Program {
  readonly engine: Engine;
  readonly random: Random;
  readonly tell: (facts: readonly Fact[]) => void;
  readonly runs: { readonly run: EvaluationLogger; isFinished: boolean }[];
  readonly known: Known[];
  /** All that was handed over and has to be there once the engine has closed. */
  readonly handed: Fact[];
  /** Rejections that have no business here. */
  readonly faults: unknown[];
  readonly stopper: AbortController;
  rows: number;
}

/** The rejections of loops that the program itself interrupted or closed. */
const EXPECTED =
  /^interrupted$|^the engine was closed while "loop" was running; await evaluate before close$/;

/**
 * Runs a random program that logs, finishes, interrupts and closes. It tells facts when promises resolve; rejects where a promise
 * rejects that should not, and where a logger takes something after the engine has closed.
 */
export async function runProgram(path: string, seed: number, tell: Program["tell"]): Promise<void> {
  const random = seededRandom(seed);
  const engine = await openEngine({ path, threads: 1 });
  const stopper = new AbortController();
  const lists = { runs: [], known: [], handed: [], faults: [] };
  const program: Program = { engine, random, tell, ...lists, stopper, rows: 0 };
  for (let left = 3 + Math.floor(random() * 60); left > 0; left--) {
    await pause(random);
    STEPS[Math.floor(random() * STEPS.length)]?.(program);
  }
  // As they stand now; nobody may change them any more.
  const facts = structuredClone([...program.known.map(({ fact }) => fact), ...program.handed]);
  const closing = engine.close();
  refusals(program);
  await closing;
  tell(facts);
  await turn();
  if (program.faults.length > 0) throw new Error("a promise was rejected", { cause: program.faults[0] });
}

async function pause(random: Random): Promise<void> {
  const choice = random();
  if (choice < 0.5) return;
  if (choice < 0.8) await turn();
  else await sleep(random() * 4);
}

/** A promise that may be dropped; what it makes sure is told when it resolves. */
function watch({ tell, faults }: Program, work: Promise<unknown>, facts: readonly Fact[]): void {
  work.then(
    () => tell(facts),
    (error: Error) => void faults.push(error),
  );
}

type Step = (program: Program) => void;

const begin: Step = (program) => {
  const { engine, random, runs, handed } = program;
  const id = `e${Math.floor(random() * 1e9)}`;
  const name = { name: "random", model: "bot" };
  const run = engine.startEvaluation(PROJECT, random() < 0.5 ? { ...name, id } : name);
  runs.push({ run, isFinished: false });
  handed.push({ id: run.id });
};

const openRun = ({ runs, random }: Program) =>
  drawn(
    random,
    runs.filter(({ isFinished }) => !isFinished),
  );
const openTrial = ({ known, random }: Program) =>
  drawn(
    random,
    known.filter(({ fact }) => !fact.ended),
  );

function drawn<T>(random: Random, list: readonly T[]): T | undefined {
  return list[Math.floor(random() * list.length)];
}

const predict: Step = (program) => {
  const run = openRun(program)?.run;
  const prediction = run?.startPrediction({ row: program.rows++ });
  if (run === undefined || prediction === undefined) return;
  const fact = { id: prediction.id, scores: {}, failed: false, ended: false };
  program.known.push({ run, prediction, fact });
};

const answer: Step = (program) => {
  const { prediction, fact } = openTrial(program) ?? {};
  if (prediction === undefined || fact === undefined || "output" in fact) return;
  fact.output = `answer ${program.rows++}`;
  prediction.output(fact.output);
};

const score: Step = (program) => {
  const { prediction, fact } = openTrial(program) ?? {};
  const scorer = `s${Math.floor(program.random() * 3)}`;
  if (prediction === undefined || fact === undefined || scorer in fact.scores) return;
  fact.scores[scorer] = program.rows++;
  prediction.logScore(scorer, fact.scores[scorer]);
};

const endTrial: Step = (program) => {
  const { prediction, fact } = openTrial(program) ?? {};
  if (prediction === undefined || fact === undefined) return;
  fact.ended = true;
  fact.failed = program.random() < 0.2;
  const work = fact.failed ? prediction.fail(new Error("no luck")) : prediction.finish();
  watch(program, work, [structuredClone(fact)]);
};

const whole: Step = (program) => {
  const run = openRun(program)?.run;
  if (run === undefined) return;
  const output = program.rows++;
  watch(program, run.logExample({ row: { row: output }, output, scores: { s: output } }), []);
};

const flush: Step = (program) => {
  const { run } = openRun(program) ?? {};
  if (run !== undefined) watch(program, run.flush(), [{ id: run.id }]);
};

const finish: Step = (program) => {
  const open = openRun(program);
  if (open === undefined) return;
  open.isFinished = true;
  // Trials that have not ended are failed.
  for (const { run, fact } of program.known)
    if (run === open.run && !fact.ended) fact.ended = fact.failed = true;
  const fact = { id: open.run.id, ended: true };
  program.handed.push(fact);
  watch(program, open.run.finish(), [fact]);
};

const load: Step = (program) => {
  const id = `c${Math.floor(program.random() * 1e9)}`;
  const record = { id, project_id: PROJECT, op_name: "step", started_at: "2026-01-01T00:00:00Z" };
  program.handed.push({ id });
  watch(program, program.engine.ingestCalls([record]), [{ id }]);
};

const loop: Step = (program) => {
  const { engine, random, stopper } = program;
  if (stopper.signal.aborted) return;
  const work = engine.evaluate(PROJECT, {
    name: "loop",
    model: "bot",
    data: Array.from({ length: 30 }, (_, n) => n),
    task: async (row, { predictionId }) => {
      await pause(random);
      return `${predictionId} ${row}`;
    },
    scorers: { row: ({ row }) => row },
    signal: stopper.signal,
  });
  const tellRun = ({ id, trials }: EvaluationRun) => program.tell([{ id, trials, ended: true }]);
  work.then(tellRun, (error: Error & { readonly run?: EvaluationRun }) => {
    if (!EXPECTED.test(error.message) || error.run === undefined) program.faults.push(error);
    else tellRun(error.run);
  });
};

const interrupt: Step = ({ stopper, random }) => {
  if (random() < 0.2) stopper.abort(new Error("interrupted"));
};

const STEPS: readonly Step[] = [
  begin,
  predict,
  predict,
  predict,
  answer,
  answer,
  answer,
  score,
  score,
  score,
  endTrial,
  endTrial,
  whole,
  flush,
  finish,
  load,
  loop,
  interrupt,
];

/** What comes after the engine was closed is refused. */
function refusals({ engine, runs, known, faults }: Program): void {
  const refuses = (work: () => unknown) => {
    try {
      work();
      faults.push(new Error(`the closed engine took ${work.toString()}`));
    } catch (error) {
      if ((error as { code?: unknown }).code !== "closed") faults.push(error);
    }
  };
  refuses(() => engine.startEvaluation(PROJECT, { name: "late", model: "bot" }));
  for (const { run } of runs) refuses(() => run.startPrediction({ late: true }));
  for (const { prediction } of known) refuses(() => prediction.logScore("late", 1));
}

/** Expects that what facts say is stored; returns how many trials they are about. */
export async function expectFacts(path: string, facts: readonly Fact[]): Promise<number> {
  const engine = await openEngine({ path, threads: 1 });
  const table = await engine.sql(PROJECT, "select id, record from calls");
  const problems = (await engine.check()).problems;
  await engine.close();
  const records = new Map(
    Array.from(table, (one) => [
      String(one["id"]),
      parseJson(String(one["record"])) as Record<string, unknown>,
    ]),
  );
  expect(problems).toEqual([]);
  const trials = new Map<unknown, number>();
  for (const { op_name: op, parent_id: parent } of records.values())
    if (op === "Evaluation.predict_and_score") trials.set(parent, (trials.get(parent) ?? 0) + 1);
  const lost = facts.filter((fact) => {
    const record = records.get(fact.id);
    if (record === undefined || (fact.trials ?? 0) > (trials.get(fact.id) ?? 0)) return true;
    return !agrees(record, fact);
  });
  expect(lost.map((fact) => ({ fact, record: records.get(fact.id) }))).toEqual([]);
  return facts.filter(({ scores }) => scores !== undefined).length;
}

/** Whether a stored call is as a fact says. */
function agrees(record: Readonly<Record<string, unknown>>, { output, scores, failed, ended }: Fact): boolean {
  const hasFailed = Boolean(record["exception"]);
  const stored = record["output"] as
    | { readonly output?: unknown; readonly scores?: object }
    | null
    | undefined;
  if (ended === true && typeof record["ended_at"] !== "string") return false;
  if (failed !== undefined && failed !== hasFailed) return false;
  if (scores === undefined || failed === true) return true;
  return (
    (output === undefined || stored?.output === output) &&
    isDeepStrictEqual({ ...scores }, { ...stored?.scores })
  );
}
