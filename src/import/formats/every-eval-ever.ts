import { figureOf, unchecked } from "../check/agreement.ts";
import { meanOf } from "../check/moments.ts";
import { numbersAt } from "../check/score-book.ts";
import type { Format, LogSource, ReadContext } from "../format.ts";
import { noSamples, orRefused, SourceFault } from "../read/fault.ts";
import { parseLine, textLines } from "../read/json-lines.ts";
import { parsePlain, readDocument } from "../read/json-pieces.ts";
import { listAt, numberAt, objectAt, omit, pick, readMembers, textAt } from "../read/members.ts";
import { noNumberName } from "../read/no-numbers.ts";
import type { Head } from "../recognise/head.ts";
import { hasMembers, type Prefix } from "../recognise/json-prefix.ts";
import { rootId } from "../translate/ids.ts";
import type { LogEvaluation, LogItem, LogTrial } from "../translate/log-parts.ts";
import { microsecondsOf, readTime } from "../translate/times.ts";
import { directionsOf } from "../../model/direction.ts";
import { at, type Json, type JsonObject } from "../../model/json.ts";

const TYPES = {
  object: ["input", "output", "evaluation", "token_usage", "performance"],
  list: ["messages"],
  text: ["error", "model_id"],
};

/** One line of an instance file. */
interface Instance {
  readonly evaluationId: string;
  readonly evaluationName: string;
  readonly model: string | null;
  readonly sample: string;
  readonly plain: JsonObject;
  readonly scores: { readonly [key: string]: Json };
}

/** Reads what identifies an instance, and its scores. Throws {@link SourceFault}. */
function readInstance(value: Json, place: string): Instance {
  const { marked, plain } = readMembers(value, TYPES, place);
  const required = (name: string) => {
    const text = textAt(plain, name);
    if (text === null) throw new SourceFault("invalid", place, `lacks ${name}, a text`);
    return text;
  };
  return {
    evaluationId: required("evaluation_id"),
    evaluationName: required("evaluation_name"),
    model: textAt(plain, "model_id"),
    sample: required("sample_id"),
    plain,
    scores: scoresOf(objectAt(marked, "evaluation"), place),
  };
}

/** An instance as a trial; `repeat` counts those of its sample before it. */
function trialOf(
  { sample, plain, scores }: Instance,
  evaluation: LogEvaluation,
  repeat: number,
  place: string,
): LogTrial {
  const latency = numberAt(plain, "performance", "latency_ms");
  return {
    evaluation,
    place,
    sample,
    trial: String(repeat),
    identity: { id: sample, epoch: repeat },
    stable: { sample_id: sample, input: pick(objectAt(plain, "input"), ["raw", "reference", "choices"]) },
    row: pick(plain, ["metadata"]),
    output: outputOf(plain),
    scores,
    details: detailsOf(plain),
    error: textAt(plain, "error"),
    index: repeat,
    prediction: {
      seconds: latency === null ? null : latency / 1000,
      usage: { [evaluation.model]: objectAt(plain, "token_usage") },
      messages: listAt(plain, "messages"),
      prompt: textAt(plain, "input", "formatted"),
    },
  };
}

function scoresOf(evaluation: JsonObject, place: string): { readonly [key: string]: Json } {
  const scores: { [key: string]: Json } = {};
  for (const [name, type] of [
    ["score", "number"],
    ["is_correct", "boolean"],
  ] as const) {
    const value = evaluation[name];
    if (value === undefined) continue;
    const isNone = value === null || noNumberName(value) !== null;
    if (!isNone && typeof value !== type && !(type === "number" && typeof value === "bigint"))
      throw new SourceFault("invalid", `${place}, evaluation.${name}`, `is not a ${type}`);
    scores[name] = isNone ? null : value;
  }
  return scores;
}

/** The answer; of a conversation the last message of the model. */
function outputOf(members: JsonObject): Json {
  const raw = objectAt(members, "output")["raw"] ?? null;
  if (raw !== null)
    return Array.isArray(raw) && raw.length === 1 ? ((raw as readonly Json[])[0] ?? null) : raw;
  const answers = listAt(members, "messages").filter((message) => textAt(message, "role") === "assistant");
  return textAt(answers.at(-1), "content");
}

function detailsOf(members: JsonObject): JsonObject {
  const evaluation = omit(objectAt(members, "evaluation"), ["score", "is_correct"]);
  return {
    ...(Object.keys(evaluation).length === 0 ? {} : { evaluation }),
    ...pick(members, ["answer_attribution", "interaction_type"]),
    ...pick(objectAt(members, "output"), ["reasoning_trace"]),
  };
}

function isAggregate(json: Prefix | undefined): boolean {
  return hasMembers(json, "schema_version", "model_info", "evaluation_results");
}

/** The name of the aggregate beside an instance file; null where there is none. */
function aggregateName({ name, siblings }: Head): string | null {
  const base = name.replace(/(_samples)?\.jsonl$/, "");
  return siblings.find((other) => other === `${base}.json`) ?? null;
}

/** The aggregate beside an instance file; null where there is none, or the file is something else. */
async function readAggregate({ head, beside }: LogSource): Promise<JsonObject | null> {
  const name = aggregateName(head);
  if (name === null) return null;
  try {
    const value = parsePlain(await readDocument((await beside(name)).bytes()));
    return isAggregate(value as Prefix) ? (value as JsonObject) : null;
  } catch (error) {
    if (error instanceof SourceFault) return null;
    throw error;
  }
}

/** When the run was, in microseconds since 1970: ISO 8601, or seconds as a text. */
function timeOf(aggregate: JsonObject | null): bigint | null {
  const text = textAt(aggregate ?? {}, "evaluation_timestamp");
  if (text === null) return null;
  return /^\d+(\.\d+)?$/.test(text) ? microsecondsOf(Number(text)) : readTime(text);
}

/** Compares the stated scores with the means of the trials. */
function* aggregateFigures(
  aggregate: JsonObject,
  evaluations: readonly LogEvaluation[],
  { book, refused }: ReadContext,
): Generator<LogItem> {
  const results = listAt(aggregate, "evaluation_results");
  for (const result of results) {
    const name = textAt(result, "evaluation_name") ?? "";
    const stated = numberAt(result, "score_details", "score");
    if (stated === null) continue;
    const [evaluation, another] = evaluations.filter(({ task }) => task === name);
    const values = evaluation === undefined ? [] : numbersAt(book, evaluation.id, "score");
    const why = reasonAgainst(results, name, refused(), values.length, another !== undefined);
    if (why !== null || evaluation === undefined) yield unchecked(name, why ?? "it has no samples");
    else yield figureOf(evaluation.id, "score", "mean", stated, meanOf(values));
  }
}

function reasonAgainst(
  results: readonly Json[],
  name: string,
  refused: number,
  samples: number,
  isTwice: boolean,
): string | null {
  if (refused > 0) return `${refused} instances were refused`;
  if (samples === 0) return "it has no samples";
  const isAmbiguous = isTwice || results.filter((one) => textAt(one, "evaluation_name") === name).length > 1;
  return isAmbiguous ? "several scores have this name" : null;
}

/**
 * Instance files of Every Eval Ever, with the aggregate beside them: it has the time of the run and the means that are
 * compared; without it the same evaluations come of the same lines.
 */
export const everyEvalEver: Format = {
  name: "eee",
  recognises: (head) => isInstances(head) || isAggregate(head.json),
  claims: (head) => {
    const name = isInstances(head) ? aggregateName(head) : null;
    return name === null ? [] : [name];
  },
  read: readInstances,
};

function isInstances({ firstLine, json }: Head): boolean {
  return hasMembers(firstLine ?? json, "schema_version", "evaluation_id", "sample_id", "evaluation");
}

async function* readInstances(source: LogSource, context: ReadContext): AsyncGenerator<LogItem> {
  if (!isInstances(source.head))
    throw noSamples(
      "is an aggregate, which holds no samples: import the instance file (.jsonl) that belongs to it",
    );
  const aggregate = await readAggregate(source);
  const evaluations = new Map<string, LogEvaluation>();
  const repeats = new Map<string, number>();
  for await (const line of textLines(source.file.bytes())) {
    const place = `line ${line.line}`;
    const instance = orRefused(() => readInstance(parseLine(line), place), place, context.refuse);
    if (instance === null) continue;
    const evaluation = evaluationOf(instance, aggregate);
    const key = JSON.stringify([evaluation.id, instance.sample]);
    const repeat = repeats.get(key) ?? 0;
    repeats.set(key, repeat + 1);
    evaluations.set(evaluation.id, evaluations.get(evaluation.id) ?? evaluation);
    yield { kind: "trial", trial: trialOf(instance, evaluation, repeat, place) };
  }
  if (aggregate !== null) yield* aggregateFigures(aggregate, [...evaluations.values()], context);
}

function evaluationOf(instance: Instance, aggregate: JsonObject | null): LogEvaluation {
  const { evaluationId, evaluationName, model, plain } = instance;
  const info = objectAt(aggregate ?? {}, "model_info");
  const stated = listAt(aggregate ?? {}, "evaluation_results").filter(
    (one) => textAt(one, "evaluation_name") === evaluationName,
  );
  const sides = new Set(stated.map((one) => at(one, "metric_config", "lower_is_better")));
  const [isLower] = sides.size === 1 ? sides : [];
  return {
    id: rootId("eee", `${evaluationId}:${evaluationName}`),
    task: evaluationName,
    directions: directionsOf(typeof isLower === "boolean" ? [["score", !isLower]] : []),
    model: model ?? textAt(info, "id") ?? textAt(info, "name") ?? "unknown",
    startedAt: timeOf(aggregate),
    toolVersion: textAt(aggregate ?? {}, "eval_library", "version"),
    logVersion: plain["schema_version"] ?? null,
    spec: { evaluation_id: evaluationId, ...omit(aggregate ?? {}, ["evaluation_results", "schema_version"]) },
  };
}
