import type { Format, LogSource, ReadContext } from "../../format.ts";
import { orRefused, SourceFault } from "../../read/fault.ts";
import type { JsonCut, JsonPiece } from "../../read/json-cut.ts";
import { jsonPieces, parsePlain } from "../../read/json-pieces.ts";
import { checkMembers, expectObject, listAt, numberAt, objectAt, pick, textAt } from "../../read/members.ts";
import { fileDigest } from "../../read/file-digest.ts";
import type { Head } from "../../recognise/head.ts";
import { hasMembers } from "../../recognise/json-prefix.ts";
import { titleOf } from "../../translate/file-names.ts";
import type { LogEvaluation, LogItem } from "../../translate/log-parts.ts";
import type { Json, JsonObject } from "../../../model/json.ts";
import { chatItems, contentText } from "../../../model/step-items/chat-items.ts";
import { createAgentTrials, type AgentTrial } from "./agent-trial.ts";
import { runNamed } from "./named-run.ts";

/** Results of tau-bench: a list of attempts, each with its conversation. */
export const tauBench: Format = {
  name: "tau-bench",
  statesNoFigures: () => true,
  isOneAttempt: true,
  recognises: ({ json }: Head) =>
    Array.isArray(json) && hasMembers(json[0], "task_id", "reward", "info", "traj"),
  read: readTauBench,
};

const TRIALS: JsonCut = { elements: {} };
const TASKS: JsonCut = {
  elements: { members: { task_id: {}, info: { members: { task: {} }, others: "skip" } }, others: "skip" },
};

async function* readTauBench({ file, head }: LogSource, context: ReadContext): AsyncGenerator<LogItem> {
  const asked = new Map<Json, string>();
  for await (const piece of jsonPieces(file.bytes(), TASKS)) {
    const one = piece.place === "" ? null : parsePlain(piece);
    const instruction = textAt(one ?? {}, "info", "task", "instruction");
    if (instruction !== null) asked.set(objectAt(one ?? {})["task_id"] ?? null, instruction);
  }
  const evaluation = evaluationOf(head, context);
  // Files of one attempt each, which the caller calls one run, may all number theirs alike.
  const begin = context.table.evaluationName === undefined ? "" : `${(await fileDigest(file)).slice(0, 16)}:`;
  const trials = createAgentTrials();
  let index = 0;
  let broken = 0;
  for await (const piece of jsonPieces(file.bytes(), TRIALS)) {
    if (piece.place === "") continue;
    const told = orRefused(
      () => trialOf(piece, { evaluation, begin, index }, asked),
      piece.place,
      context.refuse,
    );
    index++;
    if (told === null) continue;
    if (told.failure !== null) broken++;
    yield trials.item(told);
  }
  if (broken > 0) {
    const count = broken === 1 ? "1 trial" : `${broken} trials`;
    const text = `${count} broke off, with reward 0 in the file: errors here, which --count-errors-as 0 counts so`;
    yield { kind: "note", text };
  }
  yield* trials.notes();
}

/** What the tool calls its files: strategy, model, temperature, range of tasks. */
const FILE = /^(tool-calling|few-shot|[^-]+)-(.+)-\d[\d.]*_range_/;

function evaluationOf({ name }: Head, { table }: ReadContext): LogEvaluation {
  const [, strategy = null, model = "unknown"] = FILE.exec(name) ?? [];
  const own = {
    task: table.taskName ?? table.evaluationName ?? titleOf(name),
    model: table.modelName ?? model,
    label: strategy,
  };
  const isUnknown = own.model === "unknown";
  return {
    ...runNamed("tau-bench", own, table),
    notes: isUnknown ? ["the file names no model; it is unknown unless --model says it"] : [],
    spec: strategy === null ? {} : { strategy },
  };
}

const TYPES = { list: ["traj"], object: ["info"], number: ["reward", "trial"] };

function trialOf(
  piece: JsonPiece,
  {
    evaluation,
    begin,
    index,
  }: { readonly evaluation: LogEvaluation; readonly begin: string; readonly index: number },
  asked: ReadonlyMap<Json, string>,
): AgentTrial {
  const { place } = piece;
  const one = expectObject(parsePlain(piece), place);
  checkMembers(one, TYPES, place);
  const { task_id: task = null, traj } = one;
  if (typeof task !== "string" && typeof task !== "number")
    throw new SourceFault("invalid", `${place}.task_id`, "is no number and no text");
  const info = objectAt(one, "info");
  const instruction = textAt(info, "task", "instruction") ?? asked.get(task) ?? null;
  const error = info["error"] ?? null;
  const messages = listAt({ traj: traj ?? [] }, "traj");
  const broke = error !== null && messages.length === 0;
  return {
    evaluation,
    place,
    sample: String(task),
    trial: `${begin}${numberAt(one, "trial") ?? ""}`,
    identity: pick(one, ["task_id", "trial"]),
    stable: { task_id: task, ...(instruction === null ? {} : { instruction }) },
    scores: broke ? {} : { reward: numberAt(one, "reward") },
    details: {
      ...pick(objectAt(info, "reward_info"), ["info"]),
      ...pick(info, ["user_cost"]),
      ...errorsOf(info, broke),
    },
    index: numberAt(one, "trial") ?? index,
    failure: broke ? (textAt(info, "error") ?? "error") : null,
    tokens: null,
    seconds: null,
    steps: chatItems(messages, { result: failureOf }),
  };
}

function errorsOf(info: JsonObject, broke: boolean): JsonObject {
  return broke ? pick(info, ["traceback"]) : pick(info, ["error"]);
}

function failureOf({ content = null }: JsonObject) {
  return contentText(content)?.startsWith("Error") === true ? { errorType: "error" } : {};
}
