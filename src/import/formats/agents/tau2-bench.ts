import path from "node:path";
import { figureOf, unchecked } from "../../check/agreement.ts";
import type { Format, LogSource, ReadContext } from "../../format.ts";
import { SourceFault } from "../../read/fault.ts";
import type { JsonCut } from "../../read/json-cut.ts";
import { checkMembers, listAt, numberAt, objectAt, omit, pick, textAt } from "../../read/members.ts";
import type { Head } from "../../recognise/head.ts";
import { hasMembers, isPrefixObject } from "../../recognise/json-prefix.ts";
import type { LogEvaluation, LogItem } from "../../translate/log-parts.ts";
import { microsecondsOf, readTime } from "../../translate/times.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../model/json.ts";
import { chatItems } from "../../../model/step-items/chat-items.ts";
import type { ChatItem } from "../../../model/step-items/items.ts";
import { tokenCounts } from "../../../model/token-counts.ts";
import { createAgentTrials, withoutSecrets, type AgentTrial } from "./agent-trial.ts";
import { runNamed } from "./named-run.ts";
import { orSkipped, readPart, trialsIn } from "./read-part.ts";

/** Results of tau2-bench: one file with all simulations, or a folder of them beside it. */
export const tau2Bench: Format = {
  name: "tau2-bench",
  recognises: (head) => roleOf(head) !== null,
  files: {
    roleOf,
    runOf: (file) => {
      const folder = path.dirname(file);
      return path.basename(folder) === "simulations" ? path.dirname(folder) : folder;
    },
    counts: ["run", "simulation"],
    owns: /\.log$/,
  },
  read: readTau2,
};

function roleOf({ json }: Head): string | null {
  if (!isPrefixObject(json)) return null;
  if (hasMembers(json["info"], "agent_info")) return "simulations" in json ? "run" : "index";
  return hasMembers(json, "task_id", "termination_reason") && !("simulations" in json) ? "simulation" : null;
}

const WITHOUT: JsonCut = { members: { simulations: "skip" } };

interface Run {
  readonly evaluation: LogEvaluation;
  readonly scenarios: ReadonlyMap<Json, Json>;
}

async function* readTau2({ parts }: LogSource, context: ReadContext): AsyncGenerator<LogItem> {
  const head = parts.find(({ role }) => role !== "simulation");
  const header = head === undefined ? {} : await readPart(head, WITHOUT);
  const run: Run = { evaluation: evaluationOf(header, context), scenarios: scenariosOf(header) };
  const trials = createAgentTrials();
  const rewards = new Map<string, number | null>();
  let index = 0;
  let voice = 0;
  for await (const { place, read } of trialsIn(parts, "simulations", "simulation")) {
    const one = await orSkipped(async () => await read(), place, context.refuse);
    const told = one && (await orSkipped(async () => trialOf(one, run, place, index), place, context.refuse));
    index++;
    if (told === null) continue;
    rewards.set(textAt(one ?? {}, "id") ?? "", numberAt(told.scores, "reward"));
    if (listAt(one ?? {}, "ticks").length > 0 && told.steps.length === 0) voice++;
    yield trials.item(told);
  }
  if (voice > 0)
    yield { kind: "note", text: `${voice} simulations are of voice: they have no messages, and no steps` };
  yield* trials.notes();
  yield* indexFigures(header, run.evaluation.id, rewards);
}

function evaluationOf(header: JsonObject, { table }: ReadContext): LogEvaluation {
  const agent = objectAt(header, "info", "agent_info");
  const own = {
    task: table.taskName ?? textAt(header, "info", "environment_info", "domain_name") ?? "tau2-bench",
    model: table.modelName ?? textAt(agent, "llm") ?? "unknown",
    label: textAt(agent, "implementation"),
  };
  const notes =
    own.model === "unknown" ? ["nothing names the model; it is unknown unless --model says it"] : [];
  return { ...runNamed("tau2-bench", own, table), notes, spec: withoutSecrets(objectAt(header, "info")) };
}

function scenariosOf(header: JsonObject): ReadonlyMap<Json, Json> {
  const tasks = listAt(header, "tasks").map((task) => objectAt(task));
  return new Map(tasks.map((task) => [idAt(task, "id"), task["user_scenario"] ?? null]));
}

/** A text or a number as a text; null where there is none. */
function idAt(value: JsonObject, name: string): string | null {
  const number = numberAt(value, name);
  return textAt(value, name) ?? (number === null ? null : String(number));
}

const TYPES = {
  list: ["messages", "ticks"],
  object: ["reward_info", "info"],
  text: ["termination_reason"],
  number: ["trial", "agent_cost", "user_cost", "duration"],
};

function trialOf(one: JsonObject, { evaluation, scenarios }: Run, place: string, index: number): AgentTrial {
  checkMembers(one, TYPES, null);
  const task = idAt(one, "task_id");
  if (task === null) throw new SourceFault("invalid", "task_id", "is no text");
  const stopReason = textAt(one, "termination_reason");
  const broke = stopReason === "infrastructure_error";
  const messages = messagesOf(one);
  const scenario = scenarios.get(task) ?? null;
  const trial = numberAt(one, "trial");
  return {
    evaluation,
    place,
    sample: task,
    trial: trial === null ? (textAt(one, "id") ?? undefined) : String(trial),
    identity: pick(one, ["task_id", "trial"]),
    stable: { task_id: task, ...(scenario === null ? {} : { user_scenario: scenario }) },
    scores: broke ? {} : scoresOf(objectAt(one, "reward_info")),
    details: {
      ...pick(one, ["seed", "user_cost", "review"]),
      ...omit(objectAt(one, "reward_info"), ["reward", "reward_breakdown"]),
      user_tool_calls: messages.flatMap((message) => listAt(message, "tool_calls")).filter(isUsers).length,
    },
    index: trial ?? index,
    startedAt: readTime(one["start_time"]),
    endedAt: readTime(one["end_time"]),
    seconds: numberAt(one, "duration"),
    cost: numberAt(one, "agent_cost"),
    stopReason,
    failure: broke ? (textAt(one, "info", "error") ?? stopReason) : null,
    tokens: null,
    steps: chatItems(
      messages.filter((message) => message["role"] !== "tool" || !isUsers(message)),
      {
        chat: (message, i) => chatOf(message, i, evaluation.model),
        result: ({ error }) => (error === true ? { errorType: "error" } : {}),
        leavesOut: isUsers,
      },
    ),
  };
}

/** Whether the simulated user did it. */
const isUsers = (one: Json) => textAt(one, "requestor") === "user";

function scoresOf(told: JsonObject): { readonly [key: string]: Json } {
  const parts = objectAt(told, "reward_breakdown");
  return {
    reward: numberAt(told, "reward"),
    ...(Object.keys(parts).length === 0 ? {} : { reward_breakdown: parts }),
  };
}

/** The messages, also those that stand together in one. */
function messagesOf(one: JsonObject): JsonObject[] {
  return listAt(one, "messages").flatMap((message) => {
    const inside = listAt(message, "tool_messages").filter(isJsonObject);
    return inside.length > 0 ? inside : [objectAt(message)];
  });
}

/** The first message of a conversation is a greeting unless a model took tokens for it. */
function chatOf(message: JsonObject, index: number, model: string): Partial<ChatItem> | null {
  const usage = message["usage"] ?? null;
  if (index === 0 && usage === null) return null;
  const startedAt = readTime(message["timestamp"]);
  const seconds = numberAt(message, "generation_time_seconds");
  const ended =
    startedAt === null || seconds === null ? null : startedAt + microsecondsOf(Math.max(0, seconds));
  return { model, tokens: tokenCounts(usage), cost: numberAt(message, "cost"), startedAt, endedAt: ended };
}

/** Compares the index of simulations, where there is one, with these. */
function* indexFigures(
  header: JsonObject,
  evaluation: string,
  rewards: ReadonlyMap<string, number | null>,
): Generator<LogItem> {
  let missing = 0;
  for (const entry of listAt(header, "simulation_index")) {
    const id = textAt(entry, "id") ?? textAt(entry, "simulation_id") ?? "";
    const [stated, computed] = [numberAt(entry, "reward"), rewards.get(id)];
    if (computed === undefined) missing++;
    else if (stated !== null && computed !== null)
      yield figureOf(evaluation, "reward", `of ${id}`, stated, computed);
  }
  if (missing === 0) return;
  yield { kind: "note", text: `${missing} simulations of the index have no file` };
  yield unchecked("simulation_index", `${missing} simulations have no file`);
}
