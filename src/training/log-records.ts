import { createHash } from "node:crypto";
import { v7 as uuidv7 } from "uuid";
import { parseJson } from "../model/json.ts";
import { itemTexts, memberTexts, writeMembers } from "../model/member-texts.ts";
import { formatTimestamp } from "../model/timestamp.ts";
import type { StoredModel } from "./stored.ts";

/** The evaluation that a log becomes. Its id tells when it began. */
export interface LoggedEvaluation {
  readonly id: string;
  readonly model: StoredModel;
  readonly split: string;
  readonly step: number;
}

type Members = Map<string, string>;

/** What all calls of an evaluation share. */
interface Common {
  readonly project_id: string;
  readonly trace_id: string;
}

/**
 * The calls of an evaluation, from the JSON texts of groups, as JSON texts: its root, then one trial a trajectory, and one a failure.
 * The same evaluation and groups make the same calls, so that a log that is sent again changes nothing.
 */
export function* evaluationRecords(
  { id, model, split, step: number }: LoggedEvaluation,
  groups: readonly string[],
): Generator<string, void, undefined> {
  const step = BigInt(number).toString();
  const modelRef = `wandb-artifact:///${model.entity}/${model.project}/${model.name}:step${step}`;
  const startedAt = BigInt(Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16)) * 1000n;
  const common = { project_id: `${model.entity}/${model.project}`, trace_id: id };
  yield JSON.stringify({
    ...common,
    id,
    op_name: "Evaluation.evaluate",
    display_name: `${model.name} ${split} step ${step}`,
    ...timesOf(startedAt),
    inputs: { self: `art:${split}`, model: modelRef },
    attributes: { training: { model_id: model.id, base_model: model.baseModel, split, step: number } },
    output: null,
    summary: {},
  });
  let count = 0n;
  for (const [group, text] of groups.entries()) {
    for (const own of trialsOf(text, group, modelRef)) yield trialRecord(common, own, startedAt, ++count);
  }
}

/** What the trials of a group have of their own, as JSON texts. */
function* trialsOf(text: string, group: number, modelRef: string): Generator<Members, void, undefined> {
  const members = memberTexts(text);
  const trajectories = itemTexts(members.get("trajectories") ?? "[]");
  const inputs = inputsOf(trajectories, modelRef);
  const attributes = (training: string) => `{"training":{"group":${group}${training}}}`;
  for (const trajectory of trajectories)
    yield new Map([
      ["inputs", inputs],
      ["attributes", attributes(`,"trajectory":${trajectory}`)],
      ["output", outputOf(trajectory)],
    ]);
  for (const failure of itemsOf(members.get("exceptions")))
    yield new Map([
      ["inputs", inputs],
      ["attributes", attributes("")],
      ["exception", exceptionOf(failure)],
      ["output", "null"],
    ]);
}

function trialRecord(common: Common, own: Members, startedAt: bigint, number: bigint): string {
  const record = {
    ...common,
    id: trialId(common.trace_id, number, startedAt),
    parent_id: common.trace_id,
    op_name: "Evaluation.predict_and_score",
    ...timesOf(startedAt + number),
    summary: {},
  };
  return writeMembers(new Map([...memberTexts(JSON.stringify(record)), ...own]));
}

function timesOf(microseconds: bigint) {
  const time = formatTimestamp(microseconds);
  return { started_at: time, ended_at: time };
}

/** A UUID of version 7 that is made from the evaluation and the number of the trial. */
function trialId(evaluationId: string, number: bigint, startedAt: bigint): string {
  const random = createHash("sha256").update(`${evaluationId} ${number}`).digest().subarray(0, 16);
  return uuidv7({ msecs: Number(startedAt / 1000n), random, seq: random.readUInt32BE(0) & 0x7fffffff });
}

function inputsOf(trajectories: readonly string[], modelRef: string): string {
  const prompt = trajectories.map(promptOf).find((messages) => messages.length > 0) ?? [];
  const example = `{"messages":[${prompt.join(",")}]}`;
  return writeMembers(
    new Map([
      ["example", example],
      ["model", JSON.stringify(modelRef)],
    ]),
  );
}

function itemsOf(list: string | undefined): string[] {
  return list?.startsWith("[") === true ? itemTexts(list) : [];
}

function messagesOf(trajectory: string): string[] {
  return itemsOf(memberTexts(trajectory).get("messages_and_choices"));
}

function membersOf(text: string | undefined): Members {
  return text?.startsWith("{") === true ? memberTexts(text) : new Map<string, string>();
}

function isChoice(message: string): boolean {
  const members = membersOf(message);
  return members.has("message") && members.has("finish_reason");
}

function isAssistant(message: string): boolean {
  return membersOf(message).get("role") === '"assistant"';
}

/** What stands before the first answer. */
function promptOf(trajectory: string): string[] {
  const messages = messagesOf(trajectory);
  const choice = messages.findIndex(isChoice);
  const end = choice === -1 ? messages.findIndex(isAssistant) : choice;
  return end === -1 ? messages : messages.slice(0, end);
}

function outputOf(trajectory: string): string {
  const members = memberTexts(trajectory);
  const metrics = [...membersOf(members.get("metrics"))].filter(([, value]) => /^[-\dtf]/.test(value));
  const reward = members.get("reward") ?? "0";
  const scores = new Map([["reward", reward]]);
  if (metrics.length > 0) scores.set("metrics", writeMembers(new Map(metrics)));
  return writeMembers(
    new Map([
      ["output", answerOf(trajectory)],
      ["scores", writeMembers(scores)],
    ]),
  );
}

/** The content of the last answer, else the whole message; null where there is none. */
function answerOf(trajectory: string): string {
  const messages = messagesOf(trajectory);
  const choice = messages.findLast(isChoice);
  const message = choice === undefined ? messages.findLast(isAssistant) : membersOf(choice).get("message");
  if (message === undefined) return "null";
  const content = membersOf(message).get("content") ?? "null";
  return content === "null" ? message : content;
}

function exceptionOf(failure: string): string {
  const [type, message] = ["type", "message"].map((name) => {
    const value = parseJson(membersOf(failure).get(name) ?? "null");
    return typeof value === "string" ? value : "";
  });
  return JSON.stringify(`${type}: ${message}`.replaceAll("\0", "\uFFFD"));
}
