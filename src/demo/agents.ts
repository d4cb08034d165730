import { createHash } from "node:crypto";
import type { CallRecord } from "../index.ts";

/** A run of the agent that looks after orders of a shop that does not exist: how often each of its tools fails. */
interface Run {
  readonly name: string;
  readonly startedAt: string;
  /** In percent. */
  readonly orderErrors: number;
  readonly refundErrors: number;
  /** How often it asks the same again and again. */
  readonly loops: number;
}

const RUNS: readonly Run[] = [
  { name: "first tools", startedAt: "2026-06-02T09:00:00Z", orderErrors: 25, refundErrors: 55, loops: 25 },
  { name: "retries", startedAt: "2026-06-09T09:00:00Z", orderErrors: 8, refundErrors: 50, loops: 20 },
  {
    name: "asks before refunds",
    startedAt: "2026-06-16T09:00:00Z",
    orderErrors: 8,
    refundErrors: 12,
    loops: 8,
  },
];

const WISHES = ["refund", "exchange", "refund", "address"] as const;
const ROWS = 40;
const ATTEMPTS = 2;
const MOST_TURNS = 8;
const TURN_MS = 1500;

export const agents = { project: "demo/agents", name: "orders" };

/** Yields the calls of `demo/agents`, identical on each run. */
export function* agentCalls(): Generator<CallRecord> {
  for (const [i, run] of RUNS.entries()) {
    const id = `orders-${i + 1}`;
    const start = Date.parse(run.startedAt);
    yield {
      id,
      project_id: agents.project,
      op_name: "Evaluation.evaluate",
      display_name: agents.name,
      started_at: new Date(start),
      ended_at: new Date(start + ROWS * ATTEMPTS * MOST_TURNS * TURN_MS),
      attributes: { tools: run.name },
      inputs: {
        self: "svc:///demo/agents/object/orders:v1",
        model: `svc:///demo/agents/object/agent:v${i + 1}`,
      },
      output: {},
    };
    for (let n = 0; n < ROWS * ATTEMPTS; n++)
      yield* attemptCalls(id, run, n, start + n * MOST_TURNS * TURN_MS);
  }
}

/** One call of a tool. */
interface Act {
  readonly tool: string;
  readonly given: Readonly<Record<string, string>>;
  readonly error: string | null;
}

/** What an attempt does, whether it is right, and why it stopped; null where it was done. */
function actsOf(run: Run, number: number): { acts: Act[]; passed: boolean; stop: string | null } {
  const row = number % ROWS;
  const wish = wishOf(number);
  const isHit = (what: string, percent: number) => spread(run.name, what, String(number)) < percent;
  const order = `#${1000 + row}`;
  const look = { tool: "get_order", given: { order } };
  const isLost = isHit("order", run.orderErrors);
  const acts: Act[] = isLost ? [{ ...look, error: "Timeout" }] : [];
  if (isHit("loop", run.loops)) {
    while (acts.length < MOST_TURNS - 1) acts.push({ ...look, error: null });
    return { acts, passed: false, stop: "limit:turns" };
  }
  acts.push({ ...look, error: null });
  if (row % 4 === 0) acts.push({ tool: "search_help", given: { text: wish }, error: null });
  const isRefused = wish === "refund" && isHit("refund", run.refundErrors);
  const change = { tool: wish === "refund" ? "refund" : "change_order", given: { order, wish } };
  if (isRefused) acts.push({ ...change, error: "AmountError" });
  const passed = isHit("passed", isRefused ? 25 : isLost ? 70 : 88);
  acts.push(
    passed || !isRefused ? { ...change, error: null } : { tool: "transfer", given: { order }, error: null },
  );
  return { acts, passed, stop: null };
}

type Make = (id: string, parent: string, from: number, to: number, members: object) => CallRecord;

/** Makes calls of a run whose times are told in turns. */
function maker(root: string, start: number): Make {
  const at = (turn: number) => new Date(start + turn * TURN_MS);
  const shared = { project_id: agents.project, trace_id: root, op_name: "Agent.predict" };
  return (id, parent, from, to, members) => ({
    ...shared,
    id,
    parent_id: parent,
    started_at: at(from),
    ended_at: at(to),
    ...members,
  });
}

function* attemptCalls(root: string, run: Run, number: number, start: number): Generator<CallRecord> {
  const { acts, passed, stop } = actsOf(run, number);
  const id = `${root}-${number + 1}`;
  const make = maker(root, start);
  const example = { order: `#${1000 + (number % ROWS)}`, wish: wishOf(number) };
  const output = stop === null ? `Your ${example.wish} is done.` : null;
  yield make(id, root, 0, acts.length + 1, {
    op_name: "Evaluation.predict_and_score",
    inputs: { example },
    output: { output, scores: { solved: passed } },
    attributes: stop === null ? {} : { evalcube: { stop_reason: stop } },
  });
  const asked = `Order ${example.order}: ${example.wish}`;
  for (const [i, act] of acts.entries()) yield* turnCalls(make, id, i, act, asked);
  const all = acts.map((_, i) => tokensOf(i));
  const sum = (of: (one: ReturnType<typeof tokensOf>) => number) =>
    all.reduce((total, one) => total + of(one), 0);
  const usage = {
    input_tokens: sum((one) => one.input_tokens),
    output_tokens: sum((one) => one.output_tokens),
    total_tokens: sum((one) => one.input_tokens + one.output_tokens),
  };
  yield make(`${id}-run`, id, 0, acts.length, { output, summary: { usage: { "house-model-2": usage } } });
}

const tokensOf = (turn: number) => ({ input_tokens: 350 + 120 * turn, output_tokens: 24 });

/** A call of the model, and of the tool that it asks for. */
function* turnCalls(make: Make, id: string, turn: number, act: Act, asked: string): Generator<CallRecord> {
  const { tool, given, error } = act;
  const said = { message: { role: "assistant", content: `I call ${tool}.` } };
  yield make(`${id}-chat-${turn + 1}`, `${id}-run`, turn, turn + 0.6, {
    op_name: "chat",
    attributes: { "gen_ai.operation.name": "chat" },
    inputs: { messages: [{ role: "user", content: asked }] },
    output: { model: "house-model-2", choices: [said] },
    summary: { usage: { "house-model-2": tokensOf(turn) } },
  });
  yield make(`${id}-tool-${turn + 1}`, `${id}-run`, turn + 0.6, turn + 1, {
    op_name: tool,
    attributes: {
      "gen_ai.operation.name": "execute_tool",
      ...(error === null ? {} : { "error.type": error }),
    },
    inputs: given,
    output: error === null ? { ok: true } : null,
  });
}

function wishOf(number: number): string {
  return WISHES[(number % ROWS) % WISHES.length] ?? "refund";
}

/** A number from 0 to 99 that texts decide. */
function spread(...texts: readonly string[]): number {
  return (createHash("sha256").update(texts.join("\n")).digest().readUInt32BE() / 2 ** 32) * 100;
}
