import { createHash } from "node:crypto";
import { v7 as uuidv7 } from "uuid";
import { parseJson } from "../model/json.ts";
import { itemTexts, memberTexts, textAt, writeMembers } from "../model/member-texts.ts";
import { formatTimestamp } from "../model/timestamp.ts";
import { inOwnTurn, mapInSlices } from "../model/turns.ts";
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

/** A trajectory as JSON text, and the number of its group. */
interface LoggedTrajectory {
  readonly text: string;
  readonly group: number;
}

/**
 * The calls of an evaluation as JSON texts, from its trajectories by group and the JSON text of the request without
 * them: its root, then of each group one trial a trajectory, and one a failure. The same evaluation and trajectories
 * make the same calls, so that a log that is sent again changes nothing.
 */
export async function evaluationRecords(
  { id, model, split, step: number }: LoggedEvaluation,
  rest: string,
  trajectories: readonly LoggedTrajectory[],
): Promise<string[]> {
  const step = BigInt(number).toString();
  const modelRef = `wandb-artifact:///${model.entity}/${model.project}/${model.name}:step${step}`;
  const startedAt = BigInt(Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16)) * 1000n;
  const common = { project_id: `${model.entity}/${model.project}`, trace_id: id };
  const root = JSON.stringify({
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
  const trials = await mapInSlices(trialsOf(rest, trajectories, modelRef), async (own, i) =>
    trialRecord(common, await own(), startedAt, BigInt(i + 1)),
  );
  return [root, ...trials];
}

/** What each trial has of its own, as JSON texts. */
function* trialsOf(
  rest: string,
  all: readonly LoggedTrajectory[],
  modelRef: string,
): Generator<() => Promise<Members>, void, undefined> {
  let at = 0;
  for (const [group, text] of itemTexts(memberTexts(rest).get("trajectory_groups") ?? "[]").entries()) {
    const from = at;
    while (all[at]?.group === group) at++;
    const trajectories = all.slice(from, at).map((one) => one.text);
    let known: Promise<string> | null = null;
    const inputs = async () => ["inputs", await (known ??= inputsOf(trajectories, modelRef))] as const;
    const attributes = (training: string) => `{"training":{"group":${group}${training}}}`;
    for (const trajectory of trajectories)
      yield async () =>
        new Map([
          await inputs(),
          ["attributes", attributes(`,"trajectory":${trajectory}`)],
          ["output", await outputOf(trajectory)],
        ]);
    for (const failure of itemsOf(memberTexts(text).get("exceptions")))
      yield async () =>
        new Map([
          await inputs(),
          ["attributes", attributes("")],
          ["exception", await exceptionOf(failure)],
          ["output", "null"],
        ]);
  }
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

async function inputsOf(trajectories: readonly string[], modelRef: string): Promise<string> {
  let prompt: string[] = [];
  for (const one of trajectories) if (prompt.length === 0) prompt = await promptOf(one);
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

async function messagesOf(trajectory: string): Promise<string[]> {
  const list = await textAt(trajectory, "messages_and_choices");
  return inOwnTurn(list, () => itemsOf(list));
}

function membersOf(text = ""): Members | Promise<Members> {
  return text.startsWith("{") ? inOwnTurn(text, () => memberTexts(text)) : new Map<string, string>();
}

/** Where messages have a choice, else where they have an answer: the first or the last; -1 where they have none. */
async function answerAt(messages: readonly string[], which: "findIndex" | "findLastIndex"): Promise<number> {
  const kinds = await mapInSlices(messages, async (message) => {
    const members = await membersOf(message);
    if (members.has("message") && members.has("finish_reason")) return "choice";
    return members.get("role") === '"assistant"' ? "answer" : "other";
  });
  const choice = kinds[which]((kind) => kind === "choice");
  return choice === -1 ? kinds[which]((kind) => kind === "answer") : choice;
}

/** What stands before the first answer. */
async function promptOf(trajectory: string): Promise<string[]> {
  const messages = await messagesOf(trajectory);
  const end = await answerAt(messages, "findIndex");
  return end === -1 ? messages : messages.slice(0, end);
}

async function outputOf(trajectory: string): Promise<string> {
  const members = await membersOf(trajectory);
  const metrics = [...(await membersOf(members.get("metrics")))].filter(([, value]) =>
    /^[-\dtf]/.test(value),
  );
  const reward = members.get("reward") ?? "0";
  const scores = new Map([["reward", reward]]);
  if (metrics.length > 0) scores.set("metrics", writeMembers(new Map(metrics)));
  const output = await answerOf(trajectory);
  return inOwnTurn(output, () => `{"output":${output},"scores":${writeMembers(scores)}}`);
}

/** The content of the last answer, else the whole message; null where there is none. */
async function answerOf(trajectory: string): Promise<string> {
  const messages = await messagesOf(trajectory);
  const last = messages[await answerAt(messages, "findLastIndex")];
  if (last === undefined) return "null";
  const members = await membersOf(last);
  // A choice holds its message.
  const message = (members.has("finish_reason") ? members.get("message") : undefined) ?? last;
  const content = message === last ? members.get("content") : (await membersOf(message)).get("content");
  return content === undefined || content === "null" ? message : content;
}

async function exceptionOf(failure: string): Promise<string> {
  const members = await membersOf(failure);
  const [type, message] = ["type", "message"].map((name) => {
    const value = parseJson(members.get(name) ?? "null");
    return typeof value === "string" ? value : "";
  });
  return JSON.stringify(`${type}: ${message}`.replaceAll("\0", "\uFFFD"));
}
