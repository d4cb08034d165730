import path from "node:path";
import type { Format, LogSource, ReadContext, SourcePart } from "../../format.ts";
import { checkMembers, listAt, numberAt, objectAt, pick, textAt } from "../../read/members.ts";
import type { Head } from "../../recognise/head.ts";
import { isPrefixObject } from "../../recognise/json-prefix.ts";
import type { LogEvaluation, LogItem } from "../../translate/log-parts.ts";
import { readMoment } from "../../translate/times.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../model/json.ts";
import { contentText } from "../../../model/step-items/chat-items.ts";
import type { ChatItem, StepItem, ToolItem } from "../../../model/step-items/items.ts";
import { tokenCounts } from "../../../model/token-counts.ts";
import { createAgentTrials, secondsBetween, withoutSecrets, type AgentTrial } from "./agent-trial.ts";
import { runNamed } from "./named-run.ts";
import { orSkipped, readPart } from "./read-part.ts";
import { instanceRow, instanceRun, readReports, reportItems, sweFiles, verdictOf } from "./swe-reports.ts";

const ENDING = /(\.traj)?\.json$/;

/** Runs of mini-SWE-agent: a trajectory each instance, with the report of SWE-bench. */
export const miniSweAgent: Format = {
  name: "mini-swe-agent",
  recognises: isTrial,
  files: sweFiles("trial", isTrial, { runOf: (file) => instanceRun(file, ENDING), owns: /\.(log|ya?ml)$/ }),
  read: readMiniSweAgent,
};

/** What tells the format may stand behind the messages. */
function isTrial({ json, tail }: Head): boolean {
  if (!isPrefixObject(json)) return false;
  const { trajectory_format: format } = json;
  if (typeof format === "string") return format.startsWith("mini-swe-agent");
  return "messages" in json && /"trajectory_format"\s*:\s*"mini-swe-agent/.test(tail.toString("latin1"));
}

async function* readMiniSweAgent({ parts, head }: LogSource, context: ReadContext): AsyncGenerator<LogItem> {
  const told = await readReports(parts);
  const trials = createAgentTrials();
  const instances: string[] = [];
  const evaluations = new Map<string, LogEvaluation>();
  const task = context.table.taskName ?? told.run ?? head.folders.at(-1) ?? "mini-swe-agent";
  for (const [index, part] of parts.filter(({ role }) => role === "trial").entries()) {
    const read = async () => {
      const log = await readPart(part);
      const instance = textAt(log, "instance_id") ?? path.basename(part.path).replace(ENDING, "");
      const model =
        context.table.modelName ?? textAt(log, "info", "config", "model", "model_name") ?? "unknown";
      const made = runNamed("mini-swe-agent", { task, model, label: null }, context.table);
      const evaluation = evaluations.get(made.id) ?? { ...made, ...settingsOf(log) };
      evaluations.set(made.id, evaluation);
      instances.push(instance);
      const verdict = verdictOf(told.verdicts.get(instance));
      return { ...trialOf(log, part, model), ...instanceRow(instance), ...verdict, evaluation, index };
    };
    const one = await orSkipped(read, part.path, context.refuse);
    if (one !== null) yield trials.item(one);
  }
  yield* trials.notes();
  const [only] = evaluations.size === 1 ? evaluations.keys() : [null];
  yield* reportItems(only ?? null, told, instances);
}

function settingsOf(log: JsonObject): Pick<LogEvaluation, "toolVersion" | "spec"> {
  return {
    toolVersion: textAt(log, "info", "mini_version"),
    spec: withoutSecrets(pick(objectAt(log, "info"), ["config"])),
  };
}

type OwnTrial = Omit<AgentTrial, "evaluation" | "index" | "sample" | "stable" | "scores" | "failure">;

function trialOf(log: JsonObject, { path: place }: SourcePart, model: string): OwnTrial {
  checkMembers(log, { list: ["messages"], object: ["info"] }, null);
  const messages = listAt(log, "messages").filter(isJsonObject);
  const times = messages.flatMap((message) => readMoment(objectAt(message, "extra")["timestamp"]) ?? []);
  const [startedAt = null, endedAt = null] = [times[0], times.at(-1)];
  const stopReason = textAt(log, "info", "exit_status");
  return {
    place,
    identity: { instance_id: textAt(log, "instance_id") ?? path.basename(place).replace(ENDING, "") },
    details: pick(objectAt(log, "info"), ["submission"]),
    startedAt,
    endedAt,
    seconds: secondsBetween(startedAt, endedAt),
    stopReason,
    tokens: null,
    cost: numberAt(log, "info", "model_stats", "instance_cost"),
    steps: stepsOf(messages, stopReason === "Submitted", model),
  };
}

/** Steps of the messages; observations answer the actions before them, by their ids or in their order. */
function stepsOf(messages: readonly JsonObject[], submitted: boolean, model: string): StepItem[] {
  const steps: StepItem[] = [];
  let waiting: number[] = [];
  let since: JsonObject[] = [];
  for (const message of messages) {
    const isRefused =
      textAt(message, "extra", "interrupt_type") === "FormatError" &&
      isJsonObject(objectAt(message, "extra")["response"]);
    if (message["role"] === "assistant" || isRefused) {
      steps.push(chatOf(message, since, model));
      since = [];
      waiting = [];
      if (isRefused) continue;
      for (const action of actionsOf(message)) waiting.push(steps.push(toolOf(action, submitted)) - 1);
      continue;
    }
    const id = textAt(message, "tool_call_id");
    const at = waiting.find((i) => id !== null && (steps[i] as ToolItem).id === id) ?? waiting[0];
    if (at === undefined || message["role"] === "exit") {
      if (message["role"] !== "exit") since.push(message);
      continue;
    }
    waiting = waiting.filter((i) => i !== at);
    steps[at] = { ...(steps[at] as ToolItem), isErrorUnknown: false, ...resultOf(message) };
  }
  return steps;
}

function chatOf(message: JsonObject, messages: readonly Json[], model: string): ChatItem {
  const response = objectAt(message, "extra", "response");
  const output =
    message["role"] === "assistant"
      ? { role: "assistant", ...pick(message, ["content", "tool_calls"]) }
      : response;
  return {
    kind: "chat",
    model: textAt(response, "model") ?? model,
    messages,
    output,
    tokens: tokenCounts(response["usage"]),
    cost: numberAt(message, "extra", "cost"),
    finishReason: textAt(listAt(response, "choices")[0] ?? {}, "finish_reason"),
  };
}

interface Action {
  readonly command: Json;
  readonly id: string | null;
}

/** The commands of a message: those that it names, else the first fenced block of its text. */
function actionsOf(message: JsonObject): Action[] {
  const named = listAt(message, "extra", "actions");
  if (named.length > 0 || Array.isArray(objectAt(message, "extra")["actions"]))
    return named.map((one) => ({
      command: typeof one === "string" ? one : (objectAt(one)["command"] ?? null),
      id: textAt(one, "tool_call_id"),
    }));
  const [, block] = (contentText(message["content"] ?? null) ?? "").split("```");
  if (block === undefined) return [];
  const line = block.indexOf("\n");
  return line < 0 ? [] : [{ command: block.slice(line + 1).trim(), id: null }];
}

/** An action that nothing answers ended a run that was submitted; of any other nothing is known. */
function toolOf({ command, id }: Action, submitted: boolean): ToolItem {
  return { kind: "tool", name: "bash", id, arguments: { command }, isErrorUnknown: !submitted };
}

function resultOf(message: JsonObject): Pick<ToolItem, "result" | "errorType"> {
  const content = contentText(message["content"] ?? null);
  const extra = objectAt(message, "extra");
  const told =
    numberAt(extra, "returncode") ??
    Number(/<returncode>(-?\d{1,10})<\/returncode>/.exec(content ?? "")?.[1] ?? 0);
  const text = textAt(extra, "exception_info") ?? textAt(extra, "exception_info", "message") ?? "";
  const errorType = text.includes("action was not executed")
    ? "not_executed"
    : told === 0
      ? null
      : `exit_${told}`;
  return { result: content ?? message["content"] ?? null, errorType };
}
