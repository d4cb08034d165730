import { memberTexts, writeMembers } from "../../model/member-texts.ts";
import { relationOfCalls } from "../calls/candidates.ts";
import type { EvaluationSeam, StoredTrial } from "../seam.ts";
import { isObject, membersOf, type StoredCallMembers } from "./stored-call.ts";

type Selection = Parameters<EvaluationSeam["stored"]["trials"]>[1];
type Lines = AsyncGenerator<string, void, undefined>;

/** A trial with what its own call and its predict call say. */
interface ReadTrial {
  readonly parts: StoredTrial;
  readonly own: StoredCallMembers;
  readonly predict: StoredCallMembers;
  readonly predictionId: string;
}

/** The predictions of trials, as JSON texts. */
export async function* predictions(
  seam: EvaluationSeam,
  projectId: string,
  selection: Selection,
  signal: AbortSignal | undefined,
): Lines {
  for await (const trials of readTrials(seam, projectId, selection, signal))
    for (const trial of trials) {
      await seam.store.turns.take();
      yield writePrediction(trial);
    }
}

/** The scores of trials, as JSON texts; within a trial by key. */
export async function* scores(
  seam: EvaluationSeam,
  projectId: string,
  selection: Selection,
  signal: AbortSignal | undefined,
): Lines {
  for await (const trials of readTrials(seam, projectId, selection, signal)) {
    const ids = trials.map(({ parts }) => parts.id);
    const calls = await scoreCalls(seam, projectId, ids, signal);
    for (const trial of trials) {
      await seam.store.turns.take();
      yield* writeScores(trial, calls.get(trial.parts.id) ?? new Map(), seam.stored.namespaces);
    }
  }
}

async function* readTrials(
  { stored }: EvaluationSeam,
  projectId: string,
  selection: Selection,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly ReadTrial[], void, undefined> {
  for await (const part of stored.trials(projectId, selection, signal)) {
    const ids = part.flatMap(({ id, predictCallId }) => [
      id,
      ...(predictCallId === null ? [] : [predictCallId]),
    ]);
    const records = await stored.calls(projectId, ids, signal);
    yield part.map((parts) => ({
      parts,
      own: membersOf(records.get(parts.id), stored.namespaces),
      predict: membersOf(
        parts.predictCallId === null ? undefined : records.get(parts.predictCallId),
        stored.namespaces,
      ),
      predictionId: parts.predictCallId ?? parts.id,
    }));
  }
}

function writePrediction({ parts, own, predict, predictionId }: ReadTrial): string {
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

/** The first score call of each key, as its id and record, by trial. */
async function scoreCalls(
  { store, stored }: EvaluationSeam,
  projectId: string,
  trialIds: readonly string[],
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> {
  const search = store.calls ?? relationOfCalls(store);
  const keys = await search.find(projectId, { parents: trialIds }, signal);
  const records = await search.records(projectId, keys, signal);
  const found = new Map<string, Map<string, string>>(trialIds.map((id) => [id, new Map()]));
  for (const key of keys) {
    await store.turns.take();
    const record = records.get(key) ?? "{}";
    const calls = found.get(membersOf(record, []).text("parent_id") ?? "");
    const scoreKey = calls === undefined ? null : stored.scoreKey(record);
    if (calls !== undefined && scoreKey !== null && !calls.has(scoreKey)) calls.set(scoreKey, record);
  }
  return found;
}

function* writeScores(
  { parts, own, predictionId }: ReadTrial,
  calls: ReadonlyMap<string, string>,
  namespaces: readonly string[],
): Generator<string, void, undefined> {
  const stated = parts.output === null ? null : memberTexts(parts.output).get("scores");
  const all = [stated ?? null, parts.lateScores].flatMap((text) =>
    isObject(text) ? [...memberTexts(text)] : [],
  );
  const ordered = all.toSorted(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  for (const [key, value] of ordered) {
    const record = calls.get(key);
    const call = membersOf(record, namespaces);
    const scorer = call.attribute("scorer") ?? call.text("inputs", "self") ?? call.text("op_name") ?? key;
    const user = (record === undefined ? own : call).text("wb_user_id");
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
