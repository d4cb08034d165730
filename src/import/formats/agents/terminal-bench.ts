import path from "node:path";
import { figureOf, unchecked } from "../../check/agreement.ts";
import type { Format, LogSource, ReadContext, SourcePart } from "../../format.ts";
import { SourceFault } from "../../read/fault.ts";
import { checkMembers, expectObject, listAt, numberAt, objectAt, pick, textAt } from "../../read/members.ts";
import type { Head } from "../../recognise/head.ts";
import { hasMembers, isPrefixObject, type Prefix } from "../../recognise/json-prefix.ts";
import { rootId } from "../../translate/ids.ts";
import type { LogEvaluation, LogItem } from "../../translate/log-parts.ts";
import { lacksZone, readTime } from "../../translate/times.ts";
import { grouped } from "../../../model/grouped.ts";
import type { Json, JsonObject } from "../../../model/json.ts";
import {
  createAgentTrials,
  secondsBetween,
  tokensIn,
  withoutSecrets,
  type AgentTrial,
} from "./agent-trial.ts";
import { runNamed } from "./named-run.ts";
import { orSkipped, readPart } from "./read-part.ts";

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

interface Known {
  readonly one: JsonObject;
  readonly place: string;
  readonly startedAt: bigint | null;
}

async function* readTerminalBench({ parts, head }: LogSource, context: ReadContext): AsyncGenerator<LogItem> {
  const file = parts.find(({ role }) => role === "run");
  const run = file === undefined ? {} : await readPart(file);
  const known = file === undefined ? await trialsIn(parts, context) : resultsOf(run, context);
  const evaluation = await evaluationOf(run, parts, head.folders.at(-1) ?? "terminal-bench", context);
  const trials = createAgentTrials();
  const attempts = new Map<string, number>();
  for (const [index, { one, place, startedAt }] of known.toSorted(byStart).entries()) {
    const row = JSON.stringify([one["task_id"], one["instruction"]]);
    const attempt = (attempts.get(row) ?? 0) + 1;
    attempts.set(row, attempt);
    const read = () => Promise.resolve(trialOf(one, { evaluation, place, startedAt, index, attempt }, run));
    const told = await orSkipped(read, place, context.refuse);
    if (told !== null) yield trials.item(told);
  }
  yield* trials.notes();
  if (context.refused() > 0) yield unchecked("accuracy", `${context.refused()} trials were refused`);
  else
    yield* statedFigures(
      run,
      evaluation.id,
      known.map(({ one }) => one),
    );
}

function byStart(a: Known, b: Known): number {
  const [first, second] = [a.startedAt ?? 0n, b.startedAt ?? 0n];
  const [name, other] = [a, b].map(({ one }) => textAt(one, "trial_name") ?? "") as [string, string];
  return first === second ? (name < other ? -1 : name > other ? 1 : 0) : first < second ? -1 : 1;
}

function resultsOf(run: JsonObject, { refuse }: ReadContext): Known[] {
  return listAt(run, "results").flatMap((value, i) => {
    const place = `results[${i}]`;
    try {
      const one = expectObject(value, place);
      return [
        { one, place, startedAt: readTime(one["trial_started_at"]) ?? readTime(one["agent_started_at"]) },
      ];
    } catch (error) {
      if (!(error instanceof SourceFault)) throw error;
      refuse(error);
      return [];
    }
  });
}

async function trialsIn(parts: readonly SourcePart[], { refuse }: ReadContext): Promise<Known[]> {
  const known: Known[] = [];
  for (const part of parts.filter(({ role }) => role === "trial")) {
    const one = await orSkipped(async () => await readPart(part), part.path, refuse);
    if (one === null) continue;
    known.push({
      one,
      place: part.path,
      startedAt: readTime(one["trial_started_at"]) ?? readTime(one["agent_started_at"]),
    });
  }
  return known;
}

async function evaluationOf(
  run: JsonObject,
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
  const id = textAt(run, "id");
  const byName = runNamed("terminal-bench", own, table);
  const isOwn = id !== null && table.evaluationName === undefined;
  const notes = listAt(run, "results").some((one) => lacksZone(objectAt(one)["trial_started_at"]));
  const { knownBy, ...others } = byName;
  return {
    ...others,
    ...(isOwn ? { id: rootId("terminal-bench", id) } : { knownBy: knownBy ?? "file" }),
    notes: notes ? ["a time without zone counts as UTC"] : [],
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

/** Compares what a run states with its trials, of which those without a verdict count as not resolved. */
function* statedFigures(run: JsonObject, id: string, trials: readonly JsonObject[]): Generator<LogItem> {
  const resolved = trials.filter((one) => one["is_resolved"] === true).length;
  const counts = {
    n_resolved: resolved,
    n_unresolved: trials.length - resolved,
    accuracy: resolved / trials.length,
  };
  for (const [name, computed] of Object.entries(counts)) {
    const stated = numberAt(run, name);
    if (stated !== null) yield figureOf(id, "is_resolved", name, stated, computed);
  }
  const tasks = [...grouped(trials, (one): Json => one["task_id"] ?? null).values()];
  for (const [name, stated] of Object.entries(objectAt(run, "pass_at_k"))) {
    const k = Number(name);
    if (typeof stated !== "number" || !Number.isInteger(k) || k < 1) continue;
    if (tasks.some((all) => all.length < k))
      yield unchecked(`pass_at_k ${k}`, `a task has fewer than ${k} trials`);
    else yield figureOf(id, "is_resolved", `pass_at_${k}`, stated, passAtK(tasks, k));
  }
}

/** The mean over tasks of the chance that one of k trials is resolved. */
function passAtK(tasks: readonly (readonly JsonObject[])[], k: number): number {
  const chances = tasks.map((all) => {
    const failed = all.filter((one) => one["is_resolved"] !== true).length;
    let allFail = 1;
    for (let i = 0; i < k; i++) allFail *= Math.max(0, failed - i) / (all.length - i);
    return 1 - allFail;
  });
  return chances.reduce((sum, one) => sum + one, 0) / chances.length;
}
