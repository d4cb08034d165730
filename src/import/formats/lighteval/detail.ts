import { aggregateFigure, figureOf, unchecked } from "../../check/agreement.ts";
import { sumOf } from "../../check/moments.ts";
import type { ReadContext } from "../../format.ts";
import { SourceFault } from "../../read/fault.ts";
import { checkMembers, expectObject, listAt, numberAt, objectAt, pick, textAt } from "../../read/members.ts";
import { withoutNoNumbers } from "../../read/no-numbers.ts";
import { hashOf } from "../../translate/ids.ts";
import type { LogEvaluation, LogItem, LogTrial } from "../../translate/log-parts.ts";
import { listScores, splitScores } from "../../translate/score-value.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../model/json.ts";

/** A record of a details file: a document, and what the model did with it in one way of asking. */
export interface Detail {
  /** What identifies the document in its task. */
  readonly id: string;
  readonly task: string | null;
  readonly stable: JsonObject;
  readonly doc: JsonObject;
  readonly response: JsonObject;
  readonly scores: { readonly [metric: string]: Json };
  readonly details: { readonly [metric: string]: Json };
}

/** Reads a record. `marked` still has the marks of bare NaN and infinities. Throws {@link SourceFault}. */
export function readDetail(marked: Json, place: string): Detail {
  const whole = expectObject(marked, place);
  for (const name of ["doc", "metric", "model_response"])
    if (!isJsonObject(whole[name])) throw new SourceFault("invalid", `${place}, ${name}`, "is not an object");
  const plain = withoutNoNumbers(whole);
  const doc = objectAt(plain, "doc");
  checkMembers(objectAt(plain, "model_response"), { list: ["text"] }, `${place}, model_response`);
  if (textAt(doc, "query") === null) throw new SourceFault("invalid", `${place}, doc.query`, "is not a text");
  const stable = pick(doc, ["query", "choices", "gold_index", "task_name"]);
  const specific = withoutNulls(doc["specific"] ?? null);
  const asked = { ...stable, ...(specific === null ? {} : { specific }) };
  return {
    id: textAt(doc, "id") ?? hashOf(asked),
    task: textAt(doc, "task_name"),
    stable: asked,
    doc,
    response: objectAt(plain, "model_response"),
    ...metricsOf(objectAt(whole, "metric")),
  };
}

/** Null stands for a member that other records have. */
function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => withoutNulls(item));
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNulls(member)]));
}

function metricsOf(metric: JsonObject) {
  // Null stands for a metric that other records have.
  const stated = Object.entries(metric).filter(([, value]) => value !== null);
  const { scores, details } = splitScores(stated, (value) =>
    typeof value === "object" ? (Array.isArray(value) ? (listScores(value) ?? undefined) : undefined) : value,
  );
  return { scores, details: withoutNoNumbers(details) as JsonObject };
}

/** A record as a trial; `repeat` counts those of its document before it. */
export function detailTrial(
  detail: Detail,
  evaluation: LogEvaluation,
  repeat: number,
  place: string,
): LogTrial {
  const { id, stable, doc, response, scores, details } = detail;
  const { input } = response;
  return {
    evaluation,
    place,
    sample: id,
    trial: String(repeat),
    identity: { id, epoch: repeat },
    stable,
    row: pick(doc, ["instruction", "original_query"]),
    output: outputOf(response),
    scores,
    details: { ...details, ...responseDetails(response) },
    index: repeat,
    prediction: {
      usage: { [evaluation.model]: usageOf(response) },
      messages: listAt(response, "input"),
      prompt: typeof input === "string" ? input : null,
    },
  };
}

/** The answer; several answers as a list. */
export function outputOf(response: JsonObject): Json {
  const texts = listAt(response, "text");
  return texts.length > 1 ? texts : (texts[0] ?? null);
}

const KEPT = [
  "text_post_processed",
  "reasonings",
  "logprobs",
  "unconditioned_logprobs",
  "argmax_logits_eq_gold",
];

/** What else is kept of a response: no tokens and no logits. */
export function responseDetails(response: JsonObject): JsonObject {
  const kept = Object.entries(pick(response, KEPT)).filter(
    ([, value]) => Array.isArray(value) && value.length > 0,
  );
  return kept.length === 0 ? {} : { response: Object.fromEntries(kept) };
}

function usageOf(response: JsonObject): JsonObject {
  const input_tokens = listAt(response, "input_tokens").length;
  const lists = listAt(response, "output_tokens").map((tokens) =>
    Array.isArray(tokens) ? tokens.length : 0,
  );
  const output_tokens = sumOf(lists);
  return input_tokens + output_tokens === 0 ? {} : { input_tokens, output_tokens };
}

const STDERR = /_stderr$/;

/** The figures that a results file states of a task. */
export function* taskFigures(
  results: JsonObject,
  { id, task }: LogEvaluation,
  { book, refused }: ReadContext,
  documents: number,
): Generator<LogItem> {
  const config = objectAt(results, "config_tasks", task);
  const stated = objectAt(results, "results", task);
  const expected = numberAt(config, "effective_num_docs");
  if (refused() > 0 || (expected !== null && expected !== documents)) {
    const why = `${documents} of ${expected ?? "the"} documents were read`;
    if (refused() === 0) yield { kind: "note", text: `${task}: ${why}` };
    yield unchecked(task, why);
    return;
  }
  if (expected !== null) yield figureOf(id, null, "effective_num_docs", expected, documents);
  for (const [name, value] of Object.entries(stated)) {
    const isError = STDERR.test(name) && Object.hasOwn(stated, name.replace(STDERR, ""));
    const key = isError ? name.replace(STDERR, "") : name;
    const aggregation = aggregationOf(config, key);
    const figure = { evaluation: id, key, what: `${task} ${name}`, stated: value, aggregation, isError };
    yield aggregateFigure(figure, book.find(id, [key])?.values ?? []);
  }
}

/** The name of the function that makes a figure of the scores; null where the log does not say. */
function aggregationOf(config: JsonObject, metric: string): string | null {
  for (const one of listAt(config, "metrics")) {
    const { metric_name: names, corpus_level_fn: functions } = one as JsonObject;
    const isNamed = names === metric || (Array.isArray(names) && names.includes(metric));
    if (!isNamed) continue;
    const found = typeof functions === "string" ? functions : objectAt(one, "corpus_level_fn")[metric];
    if (typeof found === "string") return found;
  }
  return null;
}
