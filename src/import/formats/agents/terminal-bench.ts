import path from "node:path";
import { unchecked } from "../../check/agreement.ts";
import type { Format, LogSource, ReadContext, SourcePart } from "../../format.ts";
import { SourceFault } from "../../read/fault.ts";
import type { JsonCut } from "../../read/json-cut.ts";
import { checkMembers, listAt, pick, textAt } from "../../read/members.ts";
import type { Head } from "../../recognise/head.ts";
import { hasMembers, isPrefixObject, type Prefix } from "../../recognise/json-prefix.ts";
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
import { numberedAttempts } from "./attempts.ts";
import { runNamed } from "./named-run.ts";
import { orSkipped, readPart, trialsIn } from "./read-part.ts";
import { terminalFigures } from "./terminal-figures.ts";

/** Runs of Terminal-Bench: the file of a run, or those of its trials. */
export const terminalBench: Format = {
  name: "terminal-bench",
  isOneAttempt: true,
  recognises: ({ json }) => isRun(json) || isTrial(json),
  files: { roleOf, runOf, counts: ["run", "trial"], takes: ["metadata", "lock"], owns: /\.log$/ },
  read: readTerminalBench,
};

const isTrial = (json: Prefix | undefined) => hasMembers(json, "task_id", "is_resolved", "failure_mode");

function isRun(json: Prefix | undefined): boolean {
  if (!isPrefixObject(json)) return false;
  const { results } = json;
  return Array.isArray(results) && isTrial(results[0] as Prefix | undefined);
}

function roleOf({ json }: Head): string | null {
  if (isRun(json)) return "run";
  if (isTrial(json)) return "trial";
  if (hasMembers(json, "agent_name", "dataset_name")) return "metadata";
  return isPrefixObject(json) && hasMembers(json["invocation"], "args") ? "lock" : null;
}

/** Trials lie in folders of their own, in those of their tasks. */
function runOf(file: string, role: string, { json }: Head): string | null {
  const folder = path.dirname(file);
  // Other programs write such files, too: they belong to a run or are nothing.
  if (role === "metadata" || role === "lock") return null;
  if (role === "run" || !isPrefixObject(json)) return folder;
  const above = path.dirname(folder);
  if (path.basename(above) === json["task_id"]) return path.dirname(above);
  return [json["task_id"], json["trial_name"]].includes(path.basename(folder)) ? above : folder;
}

const WITHOUT: JsonCut = { members: { results: "skip" } };

async function* readTerminalBench({ parts, head }: LogSource, context: ReadContext): AsyncGenerator<LogItem> {
  const file = parts.find(({ role }) => role === "run");
  const run = file === undefined ? {} : await readPart(file, WITHOUT);
  const known = await knownTrials(file === undefined ? parts : [file], context);
  const told = known.map(({ one }) => one);
  const evaluation = await evaluationOf(run, told, parts, head.folders.at(-1) ?? "terminal-bench", context);
  const trials = createAgentTrials();
  for (const { one: begun, index, attempt } of numberedAttempts(known)) {
    const { one, place, startedAt } = begun;
    const read = () => Promise.resolve(trialOf(one, { evaluation, place, startedAt, index, attempt }, run));
    const trial = await orSkipped(read, place, context.refuse);
    if (trial !== null) yield trials.item(trial);
  }
  yield* trials.notes();
  if (context.refused() > 0) yield unchecked("accuracy", `${context.refused()} trials were refused`);
  else yield* terminalFigures(run, evaluation.id, told);
}

async function knownTrials(parts: readonly SourcePart[], { refuse }: ReadContext) {
  const known = [];
  for await (const { place, read } of trialsIn(parts, "results", "trial")) {
    const one = await orSkipped(read, place, refuse);
    if (one === null) continue;
    const startedAt = readTime(one["trial_started_at"]) ?? readTime(one["agent_started_at"]);
    const row = JSON.stringify([one["task_id"], one["instruction"]]);
    known.push({ one, place, startedAt, row, name: textAt(one, "trial_name") ?? "" });
  }
  return known;
}

async function evaluationOf(
  run: JsonObject,
  trials: readonly JsonObject[],
  parts: readonly SourcePart[],
  folder: string,
  { table }: ReadContext,
): Promise<LogEvaluation> {
  const beside = async (role: string) => {
    const part = parts.find((one) => one.role === role);
    return part === undefined ? {} : await readPart(part);
  };
  const [metadata, lock] = [await beside("metadata"), await beside("lock")];
  const args = listAt(lock, "invocation", "args");
  const locked = args[args.indexOf("--model") + 1];
  const dataset = ["dataset_name", "dataset_version"].map((name) => textAt(metadata, name));
  const named = table.modelName ?? textAt(metadata, "model_name");
  const own = {
    task: table.taskName ?? (dataset.filter((part) => part !== null).join("@") || "terminal-bench"),
    model: named ?? (args.includes("--model") && typeof locked === "string" ? locked : folder),
    label: textAt(metadata, "agent_name") ?? textAt(lock, "agent", "name"),
  };
  const isLocal = trials.some((one) => lacksZone(one["trial_started_at"]));
  return {
    ...runNamed("terminal-bench", own, table, textAt(run, "id")),
    notes: isLocal ? ["a time without zone counts as UTC"] : [],
    spec: withoutSecrets(pick(metadata, ["agent_name", "dataset_name", "dataset_version", "model_name"])),
  };
}

interface Place extends Pick<AgentTrial, "evaluation" | "place" | "index"> {
  readonly startedAt: bigint | null;
  readonly attempt: number;
}

const TYPES = {
  text: ["failure_mode", "trial_name"],
  boolean: ["is_resolved"],
  number: ["total_input_tokens", "total_output_tokens"],
};

function trialOf(one: JsonObject, { attempt, ...place }: Place, run: JsonObject): AgentTrial {
  checkMembers(one, TYPES, null);
  const task = one["task_id"] ?? null;
  if (typeof task !== "string" && typeof task !== "number")
    throw new SourceFault("invalid", "task_id", "is no text");
  const resolved = one["is_resolved"] ?? null;
  const own = textAt(one, "id") ?? textAt(one, "uuid") ?? textAt(one, "trial_name") ?? String(attempt);
  const stopReason = textAt(one, "failure_mode");
  return {
    ...place,
    sample: String(task),
    // Runs that are given one name may call their trials alike.
    trial: place.evaluation.knownBy === "name" ? `${textAt(run, "id") ?? ""}:${own}` : own,
    identity: { ...pick(one, ["task_id", "trial_name"]), attempt },
    stable: pick(one, ["task_id", "instruction"]),
    scores: { is_resolved: resolved },
    details: pick(one, ["parser_results", "recording_path"]),
    endedAt: readTime(one["trial_ended_at"]),
    seconds: secondsBetween(readTime(one["agent_started_at"]), readTime(one["agent_ended_at"])),
    stopReason,
    failure: resolved === null ? (stopReason ?? "not resolved and not failed") : null,
    tokens: tokensIn(one, "total_input_tokens", "total_output_tokens"),
    steps: [],
  };
}
