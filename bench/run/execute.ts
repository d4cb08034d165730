import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { canonicalAnswer } from "../canonical.ts";
import { lateCalls } from "../generate/chunks.ts";
import type { Question } from "../question.ts";
import type { Subject } from "../subjects/subject.ts";
import { lateQuestion } from "../workloads.ts";
import type { Assignment, Command, Reply } from "./protocol.ts";

type Done = Omit<Reply, "peakBytes">;

export async function execute(subject: Subject, assignment: Assignment, command: Command): Promise<Done> {
  if (command.kind === "load") {
    const load = () => time(async () => subject.load(assignment.files, assignment.store));
    const { done: milliseconds, delays } = await watchingEventLoop(load);
    return { milliseconds, delayMilliseconds: delays.p99 };
  }
  if (command.kind === "open")
    return { milliseconds: await time(async () => subject.open(assignment.files, assignment.store)) };
  if (command.kind === "check") return check(subject, command.question);
  if (command.kind === "answer") return answer(subject, command.question);
  if (command.kind === "add") return addLate(subject, assignment);
  return answerConcurrently(subject, command.questions);
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

async function check(subject: Subject, question: Question): Promise<Done> {
  const given = await subject.answer(question);
  if (given === null || !("rows" in given)) return { milliseconds: null };
  const text = (await subject.text?.(question)) ?? null;
  return {
    milliseconds: null,
    hash: hashOf(JSON.stringify(canonicalAnswer(given))),
    ...(text === null ? {} : { textHash: hashOf(text) }),
  };
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

async function answer(subject: Subject, question: Question): Promise<Done> {
  let answered = true;
  const milliseconds = await time(async () => {
    answered = (await subject.answer(question)) !== null;
  });
  return { milliseconds: answered ? milliseconds : null };
}

/** The store may hold batches of earlier runs: the next one is new calls, and all of it must be seen at once. */
async function addLate(subject: Subject, { files, store }: Assignment): Promise<Done> {
  const { add } = subject;
  if (add === null) return { milliseconds: null };
  const { evaluationId } = lateCalls(files.parameters, 0);
  const before = await countTrials(subject, evaluationId);
  const { text } = lateCalls(files.parameters, before / 25);
  const calls = text.trimEnd().split("\n").map(parseCall);
  const file = `${store}.late.ndjson`;
  await writeFile(file, text);
  const milliseconds = await time(async () => add({ calls, file }));
  const after = await countTrials(subject, evaluationId);
  if (after !== before + 25) throw new Error(`${subject.name}: ${after - before} of 25 new trials are seen`);
  return { milliseconds };
}

function parseCall(line: string): Record<string, unknown> {
  return JSON.parse(line);
}

async function countTrials(subject: Subject, evaluationId: string): Promise<number> {
  const given = await subject.answer(lateQuestion(evaluationId));
  const rows = given !== null && "rows" in given ? given.rows : [];
  return rows.flatMap((row) => row.evaluations.flatMap((entry) => entry.trials)).length;
}

/** Milliseconds. */
const resolution = 1;
const settling = 20;

async function answerConcurrently(subject: Subject, questions: readonly Question[]): Promise<Done> {
  const sequentialMilliseconds = await time(async () => {
    for (const question of questions) await subject.answer(question);
  });
  let answers: unknown[] = [];
  const { done: milliseconds, delays } = await watchingEventLoop(() =>
    time(async () => {
      answers = await Promise.all(questions.map(async (question) => subject.answer(question)));
    }),
  );
  if (answers.every((one) => one === null)) return { milliseconds: null };
  return { milliseconds, sequentialMilliseconds, blockedMilliseconds: delays.max };
}

/** How late timers of one millisecond came, in milliseconds. */
interface Delays {
  readonly max: number;
  readonly p99: number;
}

async function watchingEventLoop<T>(work: () => Promise<T>): Promise<{ done: T; delays: Delays }> {
  const monitor = monitorEventLoopDelay({ resolution });
  monitor.enable();
  await sleep(settling);
  const done = await work();
  // A block is recorded by the first sample after it.
  await sleep(settling);
  monitor.disable();
  // Each sample holds the monitor's own pause as well.
  const delay = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - resolution);
  return { done, delays: { max: delay(monitor.max), p99: delay(monitor.percentile(99)) } };
}
