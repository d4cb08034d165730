import path from "node:path";
import type { Format, LogSource, ReadContext, SourcePart } from "../../format.ts";
import { checkMembers, numberAt, objectAt, pick, textAt } from "../../read/members.ts";
import type { Head } from "../../recognise/head.ts";
import { hasMembers, isPrefixObject } from "../../recognise/json-prefix.ts";
import { atMost, firstLine } from "../../translate/clean.ts";
import { hashOf, rootId } from "../../translate/ids.ts";
import type { LogEvaluation, LogItem } from "../../translate/log-parts.ts";
import { lacksZone, readTime } from "../../translate/times.ts";
import type { JsonObject } from "../../../model/json.ts";
import {
  createAgentTrials,
  secondsBetween,
  tokensIn,
  withoutSecrets,
  type AgentTrial,
} from "./agent-trial.ts";
import { isTrajectory } from "./atif.ts";
import { numberedAttempts } from "./attempts.ts";
import { harborFigures, type HarborTrial } from "./harbor-figures.ts";
import { harborSteps } from "./harbor-steps.ts";
import { orSkipped, readPart } from "./read-part.ts";
import { loneTrajectories } from "./lone-trajectories.ts";

/** The folder of a trial whose agent wrote a trajectory. */
const OF_TRIAL = /^(.*[/\\])?[^/\\]+[/\\](?:steps[/\\][^/\\]+[/\\])?agent[/\\][^/\\]+$/s;

/** Jobs of Harbor, and trajectories in its format (ATIF). */
export const harbor: Format = {
  name: "harbor",
  recognises: (head) => roleOf(head) !== null,
  files: {
    roleOf,
    runOf: (file, role) => {
      const folder = path.dirname(file);
      if (role !== "trajectory") return role === "trial" ? path.dirname(folder) : folder;
      const around = OF_TRIAL.exec(file);
      return around === null ? folder : path.normalize(around[1] ?? ".").replace(/(?<=.)[/\\]$/, "");
    },
    counts: ["trial", "trajectory"],
    owns: /^(config|lock)\.json$|\.log$/,
  },
  read: readHarbor,
};

function roleOf({ json }: Head): string | null {
  if (!isPrefixObject(json)) return null;
  if (isTrajectory(json)) return "trajectory";
  if (hasMembers(json, "task_name", "trial_name"))
    return "agent_info" in json || hasMembers(json["config"], "agent") ? "trial" : null;
  return hasMembers(json, "n_total_trials", "stats") ? "job" : null;
}

/** What is kept of each trial before it is read. */
interface Known extends HarborTrial {
  readonly part: SourcePart;
  readonly row: string;
  readonly startedAt: bigint | null;
}

async function* readHarbor({ parts }: LogSource, context: ReadContext): AsyncGenerator<LogItem> {
  const ofRole = (role: string) => parts.filter((part) => part.role === role);
  const results = ofRole("trial");
  const evaluations = new Map<string, LogEvaluation>();
  const known: Known[] = [];
  for (const part of results) {
    const read = async () => knownOf(part, await readPart(part), evaluations);
    const one = await orSkipped(read, part.path, context.refuse);
    if (one !== null) known.push(one);
  }
  if (results.length === 0) return yield* loneTrajectories(ofRole("trajectory"), context);
  yield* jobNotes(parts, results);
  const trials = createAgentTrials();
  const notes = new Set<string>();
  for (const { one, index, attempt } of numberedAttempts(known)) {
    const read = async () => await trialOf(one, attempt, index, notes);
    const told = await orSkipped(read, one.part.path, context.refuse);
    if (told !== null) yield trials.item(told);
  }
  for (const text of notes) yield { kind: "note", text };
  yield* trials.notes();
  for (const job of ofRole("job")) {
    const total = await orSkipped(async () => await readPart(job), job.path, context.refuse);
    if (total !== null) yield* harborFigures(total, known, context.refused());
  }
}

function* jobNotes(parts: readonly SourcePart[], results: readonly SourcePart[]): Generator<LogItem> {
  const named = new Set(results.map(({ folders }) => folders.join("/")));
  const trajectories = parts.filter(({ role }) => role === "trajectory");
  const lone = new Set(
    trajectories
      .map(({ folders }) => folders.slice(0, folders.at(-3) === "steps" ? -3 : -1).join("/"))
      .filter((folder) => !named.has(folder)),
  );
  if (lone.size === 0) return;
  const text = `${lone.size} of ${lone.size + named.size} trial folders have no result.json`;
  yield { kind: "note", text };
}

const TYPES = {
  object: ["config", "agent_info", "agent_result", "verifier_result", "exception_info", "agent_execution"],
  text: ["task_name", "trial_name"],
  list: ["step_results"],
};

const RESULT_TYPES = { number: ["n_input_tokens", "n_output_tokens", "n_cache_tokens", "cost_usd"] };

function knownOf(part: SourcePart, result: JsonObject, evaluations: Map<string, LogEvaluation>): Known {
  checkMembers(result, TYPES, null);
  const rewards = objectAt(result, "verifier_result", "rewards");
  checkMembers(rewards, { number: Object.keys(rewards) }, "verifier_result.rewards");
  const own = evaluationOf(result);
  const evaluation = evaluations.get(own.id) ?? own;
  evaluations.set(own.id, evaluation);
  return {
    part,
    evaluation,
    name: textAt(result, "trial_name") ?? part.path,
    row: JSON.stringify([evaluation.id, pick(result, ["task_name", "task_checksum"])]),
    startedAt: startOf(result),
    rewards,
    exception: textAt(result, "exception_info", "exception_type"),
  };
}

function startOf(result: JsonObject): bigint | null {
  return readTime(objectAt(result, "agent_execution")["started_at"]) ?? readTime(result["started_at"]);
}

function evaluationOf(result: JsonObject): LogEvaluation {
  const agent = textAt(result, "agent_info", "name") ?? textAt(result, "config", "agent", "name") ?? "agent";
  const told = objectAt(result, "agent_info", "model_info");
  const full = ["provider", "name"]
    .map((name) => textAt(told, name))
    .filter((part) => part !== null)
    .join("/");
  const model = textAt(result, "config", "agent", "model_name") ?? (full || agent);
  const source = textAt(result, "source") ?? textAt(result, "config", "task", "source") ?? "harbor";
  const { job_id: job = null, ...config } = objectAt(result, "config");
  return {
    id: rootId("harbor", hashOf([job, agent, model, source])),
    ...(job === null ? { knownBy: "file" as const } : {}),
    task: source,
    model,
    label: agent,
    notes: lacksZone(result["started_at"]) ? ["a time without zone counts as UTC"] : [],
    spec: withoutSecrets({
      ...(job === null ? {} : { job_id: job }),
      agent: { ...objectAt(config, "agent"), ...pick(objectAt(result, "agent_info"), ["name", "version"]) },
    }),
  };
}

const LONGEST_TRACEBACK = 64 * 1024;

async function trialOf(
  known: Known,
  attempt: number,
  index: number,
  notes: Set<string>,
): Promise<AgentTrial> {
  const { part, name, evaluation, rewards, exception, startedAt } = known;
  const result = await readPart(part);
  const told = objectAt(result, "agent_result");
  checkMembers(told, RESULT_TYPES, "agent_result");
  const ran = objectAt(result, "agent_execution");
  const message = textAt(result, "exception_info", "exception_message") ?? "";
  return {
    evaluation,
    place: part.path,
    sample: textAt(result, "task_name") ?? "",
    trial: name,
    identity: { ...pick(result, ["task_name", "trial_name"]), attempt },
    stable: pick(result, ["task_name", "task_checksum"]),
    scores: Object.keys(rewards).length > 0 ? rewards : { reward: null },
    details: { ...exceptionDetails(result), ...pick(told, ["metadata"]) },
    index,
    startedAt,
    endedAt: readTime(result["finished_at"]),
    seconds: secondsBetween(readTime(ran["started_at"]), readTime(ran["finished_at"])),
    stopReason: exception,
    failure: exception === null ? null : `${exception}: ${firstLine(message)}`.replace(/: $/, ""),
    tokens: tokensIn(told, "n_input_tokens", "n_output_tokens", "n_cache_tokens"),
    cost: numberAt(told, "cost_usd"),
    steps: await harborSteps(part, result, notes),
  };
}

function exceptionDetails(result: JsonObject): JsonObject {
  const told = objectAt(result, "exception_info");
  const traceback = textAt(told, "exception_traceback");
  return {
    ...(Object.keys(told).length === 0
      ? {}
      : { exception: pick(told, ["exception_type", "exception_message"]) }),
    ...(traceback === null ? {} : { traceback: atMost(traceback, LONGEST_TRACEBACK) }),
  };
}
