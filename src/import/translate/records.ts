import { rowDigest } from "../../model/digest.ts";
import { isJsonObject, type JsonObject, type Json } from "../../model/json.ts";
import { formatTimestamp } from "../../model/timestamp.ts";
import { SourceFault } from "../read/fault.ts";
import { memberAt } from "../read/members.ts";
import { atMost, firstLine } from "./clean.ts";
import { childId, trialId } from "./ids.ts";
import { startOf, timesOf } from "./times.ts";
import { predictionOf, stepRecords } from "./steps.ts";
import { withTotal } from "./usage.ts";
import type { LogEvaluation, LogScore, LogTrial, StartedEvaluation } from "./log-parts.ts";

/** What all records of a source share. */
export interface RecordContext {
  readonly projectId: string;
  readonly format: string;
  /** File name without folders. */
  readonly source: string;
  /** What the file is called in names of evaluations. */
  readonly title: string;
  /** What of a row's value identifies it, as a path; null for what the format says. */
  readonly rowBy: string | null;
}

/** The root call of an evaluation; without a start where the log has none. */
export function rootCall(context: RecordContext, evaluation: LogEvaluation): JsonObject {
  const { id, task, taskVersion, model, startedAt, endedAt, error } = evaluation;
  const { groups = [], directions = {} } = evaluation;
  const isVersion = typeof taskVersion === "number" || typeof taskVersion === "string";
  return {
    id,
    project_id: context.projectId,
    op_name: "Evaluation.evaluate",
    trace_id: id,
    display_name: noNul(nameOf(context.title, evaluation)),
    ...(startedAt == null ? {} : { started_at: formatTimestamp(startedAt) }),
    ...(endedAt == null ? {} : { ended_at: formatTimestamp(endedAt) }),
    ...(error == null ? {} : { exception: firstLine(error) }),
    attributes: {
      ...(Object.keys(directions).length === 0 ? {} : { directions }),
      evalcube: {
        import: {
          format: context.format,
          tool_version: evaluation.toolVersion ?? null,
          log_version: evaluation.logVersion ?? null,
          source: context.source,
          file_name: context.title,
        },
        ...(groups.length === 0 ? {} : { groups: Object.fromEntries(groups.map((name) => [name, true])) }),
        spec: evaluation.spec,
      },
    },
    inputs: { self: `${context.format}${task && `:${task}`}${isVersion ? `@${taskVersion}` : ""}`, model },
  };
}

/** A name made of what is known; the file stands for what is not. */
function nameOf(title: string, { task, model, label, showsLabel = false }: LogEvaluation): string {
  const [ofTask, ofModel] = [task, model].map((one) => (one === "unknown" ? "" : one.trim()));
  const name = (ofTask ? [ofTask, ofModel || title] : [title, ofModel]).filter((part) => part).join(": ");
  return showsLabel && label != null && label !== "unknown" ? `${name} [${label}]` : name;
}

/**
 * The value of a dataset row, its digest, and what the trial keeps of it where the row holds only what identifies it.
 */
export interface TrialRow {
  readonly digest: string;
  readonly val: JsonObject;
  readonly details: JsonObject;
}

/**
 * The dataset row of a trial as its log has it; `digest` is the hash of its stable part. Throws {@link SourceFault}.
 */
export function rowOf({ rowBy }: RecordContext, trial: LogTrial): TrialRow {
  const stable = isJsonObject(trial.stable) ? trial.stable : { value: trial.stable };
  const val = { ...stable, ...trial.row };
  if (rowBy === null) return { digest: rowDigest(trial.stable), val, details: {} };
  const row = memberAt(val, rowBy);
  if (row === undefined || row === null)
    throw new SourceFault(
      "invalid",
      trial.place,
      `has nothing in ${rowBy} of its row, by which rows are told apart`,
    );
  return { digest: rowDigest({ row }), val: { row }, details: { row: val } };
}

/**
 * The calls of a trial: the predict-and-score call under `id`, and the predict call where there is one. `example` is
 * the reference to its row; `details` are added to those of the trial.
 */
export function trialCalls(
  { projectId }: RecordContext,
  evaluation: StartedEvaluation,
  trial: LogTrial,
  { id, example, details }: { readonly id: string; readonly example: string; readonly details: JsonObject },
): JsonObject[] {
  const { error, cost } = trial;
  const { startedAt, predictedAt, endedAt } = timesOf(evaluation, trial);
  const score = {
    id,
    project_id: projectId,
    op_name: "Evaluation.predict_and_score",
    trace_id: evaluation.id,
    parent_id: evaluation.id,
    started_at: formatTimestamp(startedAt),
    ended_at: formatTimestamp(endedAt),
    ...(error == null ? {} : { exception: firstLine(error) || "error" }),
    attributes: {
      evalcube: {
        sample: trial.identity,
        ...(trial.stopReason == null ? {} : { stop_reason: trial.stopReason }),
      },
    },
    inputs: { model: evaluation.model, example },
    output: {
      output: trial.output,
      scores: trial.scores,
      details: {
        ...(error == null ? {} : { error: { message: atMost(error, MAX_CHARACTERS) } }),
        ...trial.details,
        ...details,
      },
      ...(cost == null ? {} : { cost_usd: cost }),
      ...trial.others,
    },
  };
  const ended = predictedAt === null ? {} : { ended_at: formatTimestamp(predictedAt) };
  const [predict] = predictCalls(score, evaluation.model, trial, ended);
  return predict === undefined ? [score] : [score, predict, ...stepRecords(predict, id, startedAt, trial)];
}

/** The predict call of a trial; none where nothing is known of the model's work. */
function predictCalls(
  {
    id,
    project_id,
    trace_id,
    started_at,
  }: Readonly<Record<"id" | "project_id" | "trace_id" | "started_at", string>>,
  model: string,
  trial: LogTrial,
  ended: JsonObject,
): JsonObject[] {
  const { seconds = null, usage = {}, messages = [], prompt = null, attributes } = predictionOf(trial);
  const counted = Object.entries(usage).filter(([, counts]) => Object.keys(counts).length > 0);
  const parts = counted.length + messages.length + (trial.steps ?? []).length;
  if (seconds === null && prompt === null && attributes === undefined && parts === 0) return [];
  const call = {
    id: `${id}/predict`,
    project_id,
    op_name: "predict",
    trace_id,
    parent_id: id,
    started_at,
    ...ended,
    ...(attributes === undefined ? {} : { attributes }),
    inputs: {
      self: model,
      ...(prompt === null ? {} : { prompt: atMost(prompt, MAX_CHARACTERS) }),
      ...(messages.length === 0 ? {} : { messages: cutConversation(messages) }),
    },
    ...(counted.length === 0
      ? {}
      : { summary: { usage: Object.fromEntries(counted.map(([of, counts]) => [of, withTotal(counts)])) } }),
  };
  return [call];
}

/** The call of a score that lies apart from its trial. */
export function scoreCall(context: RecordContext, run: StartedEvaluation, score: LogScore): JsonObject {
  const parent = trialId(run.id, score.sample, score.trial);
  const time = formatTimestamp(startOf(run, score));
  return {
    id: childId(parent, score.key),
    project_id: context.projectId,
    op_name: noNul(`${score.key}.score`),
    trace_id: run.id,
    parent_id: parent,
    started_at: time,
    ended_at: time,
    attributes: { svc: { score: true } },
    inputs: score.inputs,
    output: score.value,
  };
}

function noNul(text: string): string {
  return text.replaceAll("\0", "\uFFFD");
}

const MAX_CHARACTERS = 256 * 1024;
const LONG_TEXT = 16 * 1024;

/** A conversation of at most about 256 KiB: of a longer one, its begin and its end, and a note of what was left out. */
function cutConversation(messages: readonly Json[]): readonly Json[] {
  if (lengthOf(messages) <= MAX_CHARACTERS) return messages;
  const shorter = messages.map(shortenTexts);
  const sizes = shorter.map((message) => lengthOf(message));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (total <= MAX_CHARACTERS) return shorter;
  const first = prefixWithin(sizes, MAX_CHARACTERS / 2);
  const last = prefixWithin(sizes.toReversed().slice(0, sizes.length - first), MAX_CHARACTERS / 2);
  const left = shorter.length - first - last;
  const marker = { left_out: `${left} messages, ${total - MAX_CHARACTERS} characters and more` };
  return [...shorter.slice(0, first), marker, ...shorter.slice(shorter.length - last)];
}

function prefixWithin(sizes: readonly number[], most: number): number {
  let sum = 0;
  const end = sizes.findIndex((size) => (sum += size) > most);
  return end < 0 ? sizes.length : end;
}

function lengthOf(value: unknown): number {
  try {
    return JSON.stringify(value).length;
  } catch (error) {
    // A long integer is no JSON for JavaScript.
    if (!(error instanceof TypeError)) throw error;
    return JSON.stringify(value, (_, one: unknown) => (typeof one === "bigint" ? String(one) : one)).length;
  }
}

function shortenTexts(value: Json): Json {
  if (typeof value === "string") return shortened(value);
  if (Array.isArray(value)) return value.map((item: Json) => shortenTexts(item));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shortenTexts(one)]));
}

function shortened(text: string): string {
  if (text.length <= LONG_TEXT) return text;
  const half = LONG_TEXT / 2;
  return `${text.slice(0, half)}\n… ${text.length - LONG_TEXT} characters left out …\n${text.slice(-half)}`;
}
