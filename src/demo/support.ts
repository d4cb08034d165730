import { createHash } from "node:crypto";
import type { CallRecord } from "../index.ts";
import { SUPPORT_QUESTIONS } from "./support-questions.ts";

/** A week of the assistant of a shop that does not exist: what is changed in it, and how much of it is right. */
interface Week {
  readonly commit: string;
  readonly startedAt: string;
  readonly prompt: string;
  /** In percent, and on questions of the topic that a change broke. */
  readonly wrong: number;
  readonly wrongReturns: number;
  readonly failing: boolean;
}

const week = (startedAt: string, commit: string, prompt: string, wrong: number, broken = false): Week => ({
  commit,
  startedAt,
  prompt,
  wrong,
  wrongReturns: broken ? 85 : wrong,
  failing: broken,
});

const WEEKS: readonly Week[] = [
  week("2026-06-01T09:00:00Z", "c1f0a3be6d2947a08c5b1e7f93d4620ab85e1c37", "first draft", 21),
  week("2026-06-08T09:00:00Z", "5d20e9f4187b3c6a92e0d75f4b81c3296fa70e5d", "looks orders up", 15),
  week("2026-06-15T09:00:00Z", "9a7c41d8e35f206b7cd1f8a20e946b53d7c8f10e", "names the page of the help", 8),
  week("2026-06-22T09:00:00Z", "e84b60c2f97d1a35b0c6e2d98471f5a3c09d6b72", "shorter answers", 9),
  week("2026-06-29T09:00:00Z", "4e5f607a1b2c3d4e8f90617283940a5b6c7d8e9f", "new page about returns", 9, true),
];

const TRIAL_MS = 4000;

export const support = { project: "demo/support", name: "support" };

interface Question {
  readonly number: number;
  readonly topic: string;
  readonly question: string;
  readonly reference: string;
}

const QUESTIONS: readonly Question[] = Object.entries(SUPPORT_QUESTIONS)
  .flatMap(([topic, lines]) =>
    lines
      .trim()
      .replaceAll("\n  ", " ")
      .split("\n")
      .map((line) => [topic, ...line.split(" | ")]),
  )
  .map(([topic = "", question = "", reference = ""], number) => ({ number, topic, question, reference }));

/** Yields the calls of `demo/support`, identical on each run. */
export function* supportCalls(): Generator<CallRecord> {
  for (const [i, one] of WEEKS.entries()) {
    const root = rootOf(one, i + 1);
    yield root;
    for (const question of QUESTIONS) yield* trialCalls(root, one, question);
  }
}

const reference = (name: string) => `svc:///${support.project}/object/${name}`;

function rootOf({ startedAt, commit, prompt }: Week, number: number) {
  const start = Date.parse(startedAt);
  const id = `support-${number}`;
  return {
    project_id: support.project,
    trace_id: id,
    id,
    op_name: "Evaluation.evaluate",
    display_name: support.name,
    started_at: new Date(start),
    ended_at: new Date(start + QUESTIONS.length * TRIAL_MS),
    attributes: { commit, branch: "main", prompt },
    inputs: { self: reference("support-questions:v1"), model: reference(`shop-assistant:v${number}`) },
    output: {},
  };
}

function* trialCalls(
  { id: root, project_id, started_at, inputs }: ReturnType<typeof rootOf>,
  one: Week,
  question: Question,
): Generator<CallRecord> {
  const { number, ...row } = question;
  const { exception, right, output, chance } = trialOf(question, one);
  const at = started_at.getTime() + number * TRIAL_MS;
  const ended_at = new Date(at + 900 + 24 * chance);
  const id = `${root}-${number}`;
  const shared = { project_id, trace_id: root, started_at: new Date(at), ended_at, exception };
  yield {
    ...shared,
    id,
    op_name: "Evaluation.predict_and_score",
    parent_id: root,
    inputs: { ...inputs, example: row },
    output:
      exception === null ? { output, scores: { correct: right, helpful: helpfulness(right, chance) } } : {},
  };
  const predict = { ...shared, id: `${id}-predict`, op_name: "Model.predict", parent_id: id };
  const said = { output, summary: { usage: { "house-model-2": usageOf(row.question, output) } } };
  yield { ...predict, inputs: { self: inputs.model }, ...(exception === null ? said : {}) };
}

/** What became of a question; luck and chance are numbers from 0 to 99 that its text decides. */
function trialOf(question: Question, one: Week) {
  const { topic, question: asked } = question;
  const [luck, chance] = [spread(asked), spread(one.commit, asked)];
  const exception = one.failing && topic !== "returns" ? failure(chance) : null;
  // Of those close to the line some change from week to week.
  const right = luck + chance / 10 - 5 >= (topic === "returns" ? one.wrongReturns : one.wrong);
  return {
    exception,
    right,
    chance,
    output: exception === null ? answerTo(question, right, one) : undefined,
  };
}

function usageOf(asked: string, output: unknown) {
  const input_tokens = 420 + Math.round(asked.length / 4);
  const output_tokens = Math.round(JSON.stringify(output ?? "").length / 5);
  return { input_tokens, output_tokens, total_tokens: input_tokens + output_tokens };
}

/** A number from 0 to 99 that texts decide. */
function spread(...texts: readonly string[]): number {
  return (createHash("sha256").update(texts.join("\n")).digest().readUInt32BE() / 2 ** 32) * 100;
}

function failure(chance: number): string | null {
  if (chance < 5)
    return `RateLimitError: 429 Too many requests, try again in ${Math.round(chance * 90 + 40)} ms`;
  return chance > 97 ? "TimeoutError: no answer within 30 s" : null;
}

/** A share in tenths. */
function helpfulness(right: boolean, chance: number): number {
  return Math.round((right ? 7 : 2) + (chance / 100) * 3) / 10;
}

const ORDERS_SINCE = 1;
const PAGES_SINCE = 2;
const SHORT_SINCE = 3;
const GREETINGS = ["Thanks for writing to us.", "Hello, and thank you for your message.", "Good question!"];

function answerTo(row: Question, right: boolean, one: Week): unknown {
  const now = WEEKS.indexOf(one);
  const text = [
    ...(now < SHORT_SINCE ? [GREETINGS[row.number % GREETINGS.length]] : []),
    right ? row.reference : wrongAnswer(row, one.failing),
    ...(now < PAGES_SINCE ? [] : [`You can read this under Help > ${row.topic}.`]),
    ...(now < SHORT_SINCE ? ["Is there anything else that we can do for you?"] : []),
  ].join("\n");
  const order = /^A-\d+/.exec(row.question)?.[0];
  return order === undefined || now < ORDERS_SINCE ? text : chat(row, order, right, text);
}

/** What the assistant says that has read the wrong page, or finds nothing. */
function wrongAnswer({ topic, number }: Question, failing: boolean): string {
  if (failing && topic === "returns")
    return number % 2 === 0
      ? "Returns are possible within 14 days, in the unopened box. The cost of the parcel is yours."
      : "We do not take this back. You may ask for a voucher within 14 days, less a fee of 15 percent.";
  return number % 2 === 0
    ? "I could not find this on our help pages. Please write to help@kettle.example, and a colleague will answer."
    : "That depends on the country and on the day of the order. Please look it up under Help.";
}

/** An answer as a chat in which the order is looked up. */
function chat(row: Question, order: string, right: boolean, text: string): unknown {
  const call = { id: `call-${row.number}`, type: "function" };
  const found = right ? { order, carrier: "DHL", note: row.reference } : { order, error: "no such order" };
  return {
    messages: [
      { role: "system", content: "You are the assistant of a shop. Look orders up before you answer." },
      { role: "user", content: row.question },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ ...call, function: { name: "find_order", arguments: JSON.stringify({ order }) } }],
      },
      { role: "tool", tool_call_id: call.id, content: JSON.stringify(found) },
      { role: "assistant", content: text },
    ],
  };
}
