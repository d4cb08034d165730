import { memberTexts, writeMembers } from "../../model/member-texts.ts";
import type { EvaluationSeam, StoredWeaveTrial } from "../request/seam.ts";
import { isObject, membersOf, type StoredCallMembers } from "./stored-call.ts";

type Selection = Omit<Parameters<EvaluationSeam["stored"]["trials"]>[1], "relatives">;
type Lines = AsyncGenerator<string, void, undefined>;

/** A trial with its own call. */
interface ReadTrial {
  readonly parts: StoredWeaveTrial;
  readonly own: StoredCallMembers;
  readonly predictionId: string;
}

/** The predictions of trials, as JSON texts. */
export async function* predictions(
  { stored, store }: EvaluationSeam,
  projectId: string,
  selection: Selection,
  signal: AbortSignal | undefined,
): Lines {
  for await (const part of stored.trials(projectId, { ...selection, relatives: "predict" }, signal)) {
    const calls = part.records.map((record) => membersOf(record, stored.namespaces));
    const byId = new Map(calls.map((call) => [call.text("id") ?? "", call]));
    for (const parts of part.trials) {
      await store.turns.take();
      const predict = byId.get(parts.predictCallId ?? "") ?? NO_CALL;
      yield writePrediction(readTrial(parts, byId), predict);
    }
  }
}

/** The scores of trials, as JSON texts; within a trial by key. */
export async function* scores(
  { stored, store }: EvaluationSeam,
  projectId: string,
  selection: Selection,
  signal: AbortSignal | undefined,
): Lines {
  for await (const part of stored.trials(projectId, { ...selection, relatives: "children" }, signal)) {
    const byId = new Map<string, StoredCallMembers>();
    const scored = new Map<string, Map<string, StoredCallMembers>>(
      part.trials.map(({ id }) => [id, new Map()]),
    );
    for (const record of part.records) {
      await store.turns.take();
      const call = membersOf(record, stored.namespaces);
      byId.set(call.text("id") ?? "", call);
      const ofTrial = scored.get(call.text("parent_id") ?? "");
      const key = ofTrial === undefined ? null : stored.scoreKey(record);
      if (key !== null && ofTrial?.has(key) === false) ofTrial.set(key, call);
    }
    for (const parts of part.trials) {
      await store.turns.take();
      yield* writeScores(readTrial(parts, byId), scored.get(parts.id) ?? new Map());
    }
  }
}

const NO_CALL = membersOf(undefined, []);

function readTrial(parts: StoredWeaveTrial, calls: ReadonlyMap<string, StoredCallMembers>): ReadTrial {
  return { parts, own: calls.get(parts.id) ?? NO_CALL, predictionId: parts.predictCallId ?? parts.id };
}

function writePrediction({ parts, own, predictionId }: ReadTrial, predict: StoredCallMembers): string {
  const isPredicted = parts.predictCallId !== null;
  const model = own.text("inputs", "model") ?? predict.attribute("model") ?? predict.text("inputs", "self");
  const output = isPredicted ? predict.json("output") : modelOutput(parts.output);
  return writeMembers(
    new Map([
      ["prediction_id", JSON.stringify(predictionId)],
      ["model", JSON.stringify(model ?? "")],
      ["inputs", isPredicted ? inputsOf(predict) : isObject(parts.row) ? parts.row : "{}"],
      ["output", output ?? "null"],
      ["evaluation_run_id", JSON.stringify(parts.evaluationId)],
      ["wb_user_id", JSON.stringify((isPredicted ? predict : own).text("wb_user_id"))],
    ]),
  );
}

function inputsOf(predict: StoredCallMembers): string {
  const inner = predict.json("inputs", "inputs");
  if (isObject(inner)) return inner;
  const inputs = predict.json("inputs");
  if (!isObject(inputs)) return "{}";
  const members = memberTexts(inputs);
  for (const name of ["self", "model"]) members.delete(name);
  return writeMembers(members);
}

function modelOutput(output: string | null): string | null {
  if (output === null) return null;
  const members = memberTexts(output);
  return members.get("output") ?? members.get("model_output") ?? null;
}

function* writeScores(
  { parts, own, predictionId }: ReadTrial,
  calls: ReadonlyMap<string, StoredCallMembers>,
): Generator<string, void, undefined> {
  const stated = parts.output === null ? null : memberTexts(parts.output).get("scores");
  const all = [stated ?? null, parts.lateScores].flatMap((text) =>
    isObject(text) ? [...memberTexts(text)] : [],
  );
  const ordered = all.toSorted(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  for (const [key, value] of ordered) {
    const call = calls.get(key) ?? NO_CALL;
    const scorer = call.attribute("scorer") ?? call.text("inputs", "self") ?? call.text("op_name") ?? key;
    const user = call.text("wb_user_id") ?? own.text("wb_user_id");
    yield writeMembers(
      new Map([
        ["score_id", JSON.stringify(call.text("id") ?? scoreIdOf(parts.id, key))],
        ["scorer", JSON.stringify(scorer)],
        ["value", value],
        ["evaluation_run_id", JSON.stringify(parts.evaluationId)],
        ["prediction_id", JSON.stringify(predictionId)],
        ["wb_user_id", JSON.stringify(user)],
      ]),
    );
  }
}

/** The id of a score without a call of its own; the last `~` ends the id of the trial. */
function scoreIdOf(trialId: string, key: string): string {
  return `${trialId}~${encodeURIComponent(key.toWellFormed()).replaceAll("~", "%7E")}`;
}

/** The id of the trial that a score may be of: the parent of its call, or what stands in its id. */
export async function trialOfScore(
  { stored }: EvaluationSeam,
  projectId: string,
  scoreId: string,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  const record = (await stored.calls(projectId, [scoreId], signal)).get(scoreId);
  const parent = membersOf(record, []).text("parent_id");
  if (parent !== null) return parent;
  const end = scoreId.lastIndexOf("~");
  return end > 0 ? scoreId.slice(0, end) : null;
}
