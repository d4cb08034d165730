import { EvalcubeError } from "../errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import { formatTimestamp } from "../model/timestamp.ts";
import { chatsIn, chatTokens, stepCalls } from "../model/step-items/step-calls.ts";
import { tokenCounts } from "../model/token-counts.ts";
import { modelName } from "../model/references.ts";
import type { StepLog } from "./step-api.ts";
import { namedTrial, RECORD_SIZE, type Draft } from "./draft.ts";
import { refuseClosed, warn, type Run } from "./run.ts";
import { toldItems } from "./told-steps.ts";
import { isOneModel, storedUsage } from "./usage.ts";
import { invalidValue, loggedFailure, plainJson } from "./values.ts";

/** A call under way; what is known at its end is added. */
type Call = { [member: string]: Json };

/** A trial while its steps can be told: until it ends, or its task is called again. */
interface Open {
  readonly run: Run;
  readonly draft: Draft;
  readonly attempt: number;
}

/** What tells the steps of a trial under way. */
export function createStepLog(run: Run, draft: Draft): StepLog {
  const open: Open = { run, draft, attempt: draft.attempts };
  return {
    chat: (request, work) => {
      const call: Call = { op_name: "chat", attributes: { "gen_ai.operation.name": "chat" } };
      const ended = (reply: unknown) => addReplyUsage(run, draft, call, [request, reply]);
      return timed(open, "chat", call, [request, work], ended);
    },
    tool: (name, args, work) => {
      if (typeof name !== "string" || name === "")
        return Promise.reject(invalidValue(["tool"], "its name must be a text that is not empty"));
      const attributes = { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name.toWellFormed() };
      const call: Call = { op_name: name.toWellFormed().replaceAll("\0", "\uFFFD"), attributes };
      return timed(open, `tool ${JSON.stringify(name)}`, call, [args, work]);
    },
    steps: (told) => {
      refuseEnded(open, "steps");
      return addToldSteps(run, draft, told, draft.clock.tick());
    },
    stop: (reason) => {
      refuseEnded(open, "stop");
      setStopReason(draft, reason);
    },
  };
}

const isOpen = ({ run, draft, attempt }: Open) =>
  draft.ended === null && draft.attempts === attempt && run.open.has(draft);

function refuseEnded(open: Open, what: string): void {
  refuseClosed(open.run.context);
  if (isOpen(open)) return;
  throw new EvalcubeError("finished", `${what}: ${namedTrial(open.draft)} has ended, and its steps with it`);
}

/** Does a work, and adds its step; `ended` hears of what it gave. */
async function timed<Given, Result>(
  open: Open,
  what: string,
  call: Call,
  [given, work]: readonly [Given, (given: Given) => Result],
  ended: (reply: unknown) => void = () => undefined,
): Promise<Awaited<Result>> {
  const { run, draft } = open;
  refuseEnded(open, what);
  if (typeof work !== "function") throw invalidValue([what], "its last argument must be a function");
  begin(draft, call, inputsOf(run, draft, what, given));
  let reply: Awaited<Result>;
  try {
    reply = await work(given);
  } catch (error) {
    if (isOpen(open)) end(draft, call, "exception", loggedFailure(error).exception);
    throw error;
  }
  if (isOpen(open)) {
    end(draft, call, "output", keep(run, draft, `the result of ${what}`, reply));
    ended(reply);
  }
  return reply;
}

/** Throws `invalid_value` on what is no text, or an empty one. */
export function setStopReason(draft: Draft, reason: unknown): void {
  if (typeof reason !== "string" || reason === "")
    throw invalidValue(["stop"], "its reason must be a text that is not empty");
  draft.stopReason = reason.toWellFormed();
  draft.size += reason.length;
}

/** Adds steps that happened already; how many they are. `at`: their start in microseconds since 1970. */
export function addToldSteps(run: Run, draft: Draft, told: unknown, at: number): number {
  const items = toldItems(told, (what, value) => keep(run, draft, what, value));
  if (items === null) {
    warnOf(run, "steps: this is no list of messages, and no result of generateText with its steps");
    return 0;
  }
  for (const { members } of stepCalls(items, { place: draft.calls.length, startedAt: BigInt(at) })) {
    draft.calls.push(members);
    draft.size += RECORD_SIZE;
  }
  const chats = chatsIn(items).filter(({ tokens }) => tokens != null);
  for (const [model, tokens] of chatTokens(chats, modelName(run.evaluation.model)) ?? [])
    draft.chatTokens.push({ model, tokens });
  return items.length;
}

function warnOf(run: Run, message: string): void {
  warn(run, `evaluation ${run.evaluation.id}: ${message}`);
}

/** A value as JSON can hold it; null, and a warning, where it cannot. */
function keep(run: Run, draft: Draft, what: string, value: unknown): Json {
  if (value === undefined) return null;
  try {
    const plain = plainJson(value, what);
    draft.size += plain.size;
    return plain.value;
  } catch (error) {
    warnOf(run, `${error instanceof Error ? error.message : String(error)}; it is stored as null`);
    return null;
  }
}

function begin(draft: Draft, call: Call, inputs: JsonObject): void {
  const { attributes = {} } = call;
  call["attributes"] = {
    ...(isJsonObject(attributes) ? attributes : {}),
    evalcube: { step: draft.calls.length },
  };
  call["inputs"] = inputs;
  call["started_at"] = formatTimestamp(BigInt(draft.clock.tick()));
  draft.calls.push(call);
  draft.size += RECORD_SIZE;
}

function end(draft: Draft, call: Call, name: "output" | "exception", value: Json): void {
  call[name] = value;
  call["ended_at"] = formatTimestamp(BigInt(draft.clock.tick()));
}

/** What a step was given, as it is now; of an object, members that JSON cannot hold are left out. */
function inputsOf(run: Run, draft: Draft, what: string, given: unknown): JsonObject {
  if (given === undefined || given === null) return {};
  if (!isJsonObject(given)) return { arguments: keep(run, draft, `the arguments of ${what}`, given) };
  try {
    const { value, size } = plainJson(given, what);
    draft.size += size;
    if (isJsonObject(value)) return value;
  } catch {
    // One member may be what is in the way.
  }
  const members = Object.entries(given).flatMap(([name, member]) =>
    member === undefined ? [] : [[name, keep(run, draft, `${name} of ${what}`, member)] as const],
  );
  return Object.fromEntries(members.filter(([, member]) => member !== null));
}

/** Adds the tokens of a reply, by its model. */
function addReplyUsage(
  run: Run,
  draft: Draft,
  call: Call,
  [request, reply]: readonly [unknown, unknown],
): void {
  const usage =
    isJsonObject(reply) && isJsonObject(reply["usage"]) && isOneModel(reply["usage"]) ? reply["usage"] : null;
  if (usage === null) return;
  const plain = keep(run, draft, "the usage of a reply", usage);
  const model = modelIn(reply) ?? modelIn(request) ?? modelName(run.evaluation.model);
  call["summary"] = { usage: storedUsage(plain, model) };
  const tokens = tokenCounts(plain);
  if (tokens !== null) draft.chatTokens.push({ model, tokens });
}

/** The model that a request or a reply names. */
function modelIn(said: unknown): string | null {
  if (!isJsonObject(said)) return null;
  const { model, response } = said;
  const names: unknown[] = [
    model,
    isJsonObject(model) && model["modelId"],
    isJsonObject(response) && response["modelId"],
  ];
  return names.find((name): name is string => typeof name === "string" && name !== "") ?? null;
}
