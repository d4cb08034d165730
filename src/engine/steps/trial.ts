import { argumentsOf } from "../../ingest/record/step.ts";
import { chatOf } from "../../model/chat.ts";
import { isJsonObject, parseJson, writeJson, type Json, type JsonObject } from "../../model/json.ts";
import { oneLine, outputLine } from "../../model/one-line.ts";
import { inOwnTurn, mapInSlices } from "../../model/turns.ts";
import type { Session } from "../../store/session.ts";
import { wholeText } from "../../texts/whole-texts.ts";
import type { AskedSteps } from "../../request/steps-request.ts";
import {
  addSteps,
  emptyTrial,
  shownStep,
  trialCounts,
  type ShownStep,
  type TrialAnswer,
} from "../../respond/steps/trial.ts";
import { callReader } from "../catalog/stored-calls.ts";
import { readTrialErrors } from "../query/page.ts";
import { STEP_MEMBERS } from "../walk/walked-steps.ts";
import { readTrials, unknownTrial, type StepsScope } from "./scope.ts";

/** Tells what one trial did, a line a step. */
export async function readOneTrial(scope: StepsScope, asked: AskedSteps): Promise<TrialAnswer> {
  const { session, plan, success, warnings, signal } = scope;
  const { request, limit, offset, texts } = asked;
  const [trial] = await readTrials(scope, asked.trials, STEP_MEMBERS);
  if (trial === undefined || plan === null) throw unknownTrial(asked.trials[0] ?? "");
  const { fact, steps } = trial;
  const { prices } = request;
  const tally = emptyTrial();
  await mapInSlices(addSteps(tally, steps, prices), () => null, signal);
  const errors = await readTrialErrors(session, plan, [fact.row]);
  const page = steps.slice(offset, offset + limit).map((step) => shownStep(step, prices));
  return {
    view: "trial",
    trial_id: trial.trialId,
    evaluation_call_id: trial.evaluationCallId,
    row_digest: trial.rowDigest,
    success: success?.name ?? null,
    passed: trial.passed,
    error: errors.get(fact.key) ?? null,
    stop_reason: fact.stopReason,
    counts: trialCounts(tally),
    step_count: steps.length,
    steps: texts === false ? page : await withTexts(scope, page, texts, plan.projectKey),
    warnings,
  };
}

/** Steps whose texts are read at once. */
const READ_AT_ONCE = 100;

async function withTexts(
  { session, projectId, signal }: StepsScope,
  steps: readonly ShownStep[],
  texts: true | "line",
  projectKey: number,
): Promise<ShownStep[]> {
  const shown: ShownStep[] = [];
  for (let at = 0; at < steps.length; at += READ_AT_ONCE) {
    const part = steps.slice(at, at + READ_AT_ONCE);
    const ids = part.map(({ call_id: id }) => id);
    const calls = await callReader(session, projectKey).find(projectId, ids);
    const records = new Map(calls.map(({ id, record }) => [id, record]));
    const told = await mapInSlices(
      part,
      async (step) => ({ ...step, ...(await textsOf(session, step, records.get(step.call_id), texts)) }),
      signal,
    );
    shown.push(...told);
  }
  return shown;
}

const NO_TEXTS = { input: null, output: null };

/** One call after the other, since each may have long texts. */
async function textsOf(
  session: Session,
  { operation }: ShownStep,
  record: string | undefined,
  texts: true | "line",
): Promise<Required<Pick<ShownStep, "input" | "output">>> {
  if (record === undefined) return NO_TEXTS;
  const whole = await wholeText(session, record);
  return inOwnTurn(whole, () => {
    const members = parseJson(whole);
    if (!isJsonObject(members)) return NO_TEXTS;
    const { inputs = null, output = null, attributes } = members;
    const ofTool = operation === "execute_tool";
    const input = ofTool ? argumentsOf(members, objectOf(attributes)) : inputs;
    if (texts === true) return { input: cut(input), output: cut(output) };
    return { input: inputLine(input, ofTool), output: output === null ? null : outputLine(output) };
  });
}

function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** Of a `chat` its last message, of all others the whole as JSON. */
function inputLine(input: Json, ofTool: boolean): string | null {
  if (input === null) return null;
  const said = ofTool ? null : lastMessage(input);
  return said ?? (typeof input === "string" ? outputLine(input) : oneLine(writeJson(input)));
}

function lastMessage(input: Json): string | null {
  const part = chatOf(input)?.turns.at(-1)?.parts.at(-1);
  if (part === undefined) return null;
  if (part.kind === "text") return oneLine(part.text);
  return oneLine(writeJson(part.kind === "call" ? (part.results.at(-1) ?? part.arguments) : part.value));
}

const LONGEST = 1_000_000;

/** The value, or where its JSON is too long the beginning of that as a text. */
function cut(value: Json): Json {
  const text = writeJson(value);
  return text.length <= LONGEST ? value : `${text.slice(0, LONGEST).replace(/[\ud800-\udbff]$/u, "")}…`;
}
