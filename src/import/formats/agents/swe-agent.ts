import path from "node:path";
import type { Format, LogSource, ReadContext, SourcePart } from "../../format.ts";
import { checkMembers, listAt, numberAt, objectAt, pick, textAt } from "../../read/members.ts";
import { hasMembers, isPrefixObject } from "../../recognise/json-prefix.ts";
import type { LogEvaluation, LogItem } from "../../translate/log-parts.ts";
import { isJsonObject, parseJson, type Json, type JsonObject } from "../../../model/json.ts";
import type { StepItem } from "../../../model/step-items/items.ts";
import { createAgentTrials, tokensIn, withoutSecrets, type AgentTrial } from "./agent-trial.ts";
import { runNamed } from "./named-run.ts";
import { orSkipped, readOther, readPart } from "./read-part.ts";
import {
  instanceRow,
  instanceRun,
  readPredictions,
  readReports,
  reportItems,
  sweFiles,
  verdictOf,
} from "./swe-reports.ts";

const ENDING = /\.traj(\.json)?$/;

/** Runs of SWE-agent: a trajectory each instance, with the report of SWE-bench. */
export const sweAgent: Format = {
  name: "swe-agent",
  recognises: ({ json }) => isTrial(json),
  files: sweFiles("trial", ({ json }) => isTrial(json), {
    runOf: (file) => instanceRun(file, ENDING),
    owns: /\.(pred|patch|log|ya?ml)$/,
  }),
  read: readSweAgent,
};

function isTrial(json: unknown): boolean {
  return (
    isPrefixObject(json as never) &&
    Array.isArray((json as JsonObject)["trajectory"]) &&
    hasMembers(json as never, "info")
  );
}

async function* readSweAgent({ parts, head }: LogSource, context: ReadContext): AsyncGenerator<LogItem> {
  const told = await readReports(parts);
  const models = await readPredictions(parts);
  const trials = createAgentTrials();
  const instances: string[] = [];
  const evaluations = new Map<string, LogEvaluation>();
  const task = context.table.taskName ?? told.run ?? head.folders.at(-1) ?? "swe-agent";
  for (const [index, part] of parts.filter(({ role }) => role === "trial").entries()) {
    const read = async () => {
      const log = await readPart(part);
      const stem = path.basename(part.path).replace(ENDING, "");
      const predicted = await readOther(part, `${stem}.pred`);
      const instance = textAt(predicted ?? {}, "instance_id") ?? stem;
      const model = modelOf(log) ?? textAt(predicted ?? {}, "model_name_or_path") ?? models.get(instance);
      const own = { task, model: context.table.modelName ?? model ?? "unknown", label: null };
      const made = { ...runNamed("swe-agent", own, context.table), ...settingsOf(log) };
      const evaluation = evaluations.get(made.id) ?? made;
      evaluations.set(made.id, evaluation);
      instances.push(instance);
      return {
        ...trialOf(log, part),
        evaluation,
        index,
        ...instanceRow(instance),
        ...verdictOf(told.verdicts.get(instance)),
        identity: { instance_id: instance },
      };
    };
    const one = await orSkipped(read, part.path, context.refuse);
    if (one !== null) yield trials.item(one);
  }
  yield* trials.notes();
  const [only] = evaluations.size === 1 ? evaluations.keys() : [null];
  yield* reportItems(only ?? null, told, instances);
}

const replayOf = ({ replay_config: config = null }: JsonObject): JsonObject => {
  if (typeof config !== "string") return objectAt(config);
  try {
    return objectAt(parseJson(config));
  } catch {
    return {};
  }
};

const modelOf = (log: JsonObject) => textAt(replayOf(log), "agent", "model", "name");

function settingsOf(log: JsonObject): Pick<LogEvaluation, "toolVersion" | "spec"> {
  return {
    toolVersion: textAt(log, "info", "swe_agent_version"),
    spec: withoutSecrets(pick(replayOf(log), ["agent"])),
  };
}

const TYPES = { list: ["trajectory", "history"], object: ["info"] };

type OwnTrial = Omit<
  AgentTrial,
  "evaluation" | "index" | "identity" | "sample" | "stable" | "scores" | "failure"
>;

function trialOf(log: JsonObject, { path: place }: SourcePart): OwnTrial {
  checkMembers(log, TYPES, null);
  const stats = objectAt(log, "info", "model_stats");
  return {
    place,
    details: pick(objectAt(log, "info"), ["submission"]),
    stopReason: textAt(log, "info", "exit_status"),
    tokens: tokensIn(stats, "tokens_sent", "tokens_received"),
    cost: numberAt(stats, "instance_cost"),
    seconds: null,
    steps: stepsOf(log, numberAt(stats, "api_calls") ?? 0),
  };
}

/** The messages of a model, each with those before it that are no results. */
interface Action {
  readonly message: JsonObject;
  readonly before: readonly JsonObject[];
}

function actionsIn(log: JsonObject): Action[] {
  const actions: Action[] = [];
  let before: JsonObject[] = [];
  for (const message of listAt(log, "history")) {
    if (!isJsonObject(message) || message["is_demo"] === true) continue;
    if (message["role"] === "assistant") {
      actions.push({ message, before });
      before = [];
    } else if (
      actions.length === 0 ||
      (message["role"] !== "tool" && message["message_type"] !== "observation")
    )
      before.push(message);
  }
  return actions;
}

function stepsOf(log: JsonObject, apiCalls: number): StepItem[] {
  const actions = actionsIn(log);
  const entries = listAt(log, "trajectory").map((entry) => objectAt(entry));
  return entries.flatMap((entry, i) => {
    const isLast = i === entries.length - 1;
    const action = textAt(entry, "action");
    // The tool submitted for the agent.
    const isOwn = isLast && (action ?? "").trim() === "" && apiCalls > 0 && apiCalls < entries.length;
    if (isOwn) return [];
    const { message, before = [] } = actions[i] ?? {};
    const content = entry["response"] ?? entry["thought"] ?? null;
    const chat: StepItem = {
      kind: "chat",
      messages: before,
      output: message ?? { role: "assistant", content },
    };
    return [chat, ...toolsOf(action, message, entry)];
  });
}

function toolsOf(action: string | null, message: JsonObject | undefined, entry: JsonObject): StepItem[] {
  if (action === null || action.trim() === "") return [];
  const [first = "tool"] = action.trim().split(/\s+/, 1);
  const called = listAt(message, "tool_calls").map((call) => ({
    id: textAt(call, "id"),
    name: textAt(call, "function", "name") ?? first,
    arguments: objectAt(call, "function")["arguments"],
  }));
  const calls: readonly { name: string; arguments: Json | undefined }[] =
    called.length > 0 ? called : [{ name: first, arguments: { command: action } }];
  return calls.map((call, i) => ({
    kind: "tool",
    ...call,
    isErrorUnknown: true,
    // A turn has one observation, whatever it called.
    ...(i < calls.length - 1
      ? {}
      : { result: entry["observation"], seconds: numberAt(entry, "execution_time") }),
  }));
}
