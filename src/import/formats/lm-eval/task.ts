import type { Json, JsonObject } from "../../../model/json.ts";
import type { ReadContext } from "../../format.ts";
import { orRefused } from "../../read/fault.ts";
import { mayHaveNoNumbers, parseLine, textLines } from "../../read/json-lines.ts";
import { listAt, pick, textAt } from "../../read/members.ts";
import { atMost } from "../../translate/clean.ts";
import type { LogEvaluation, LogItem, LogTrial } from "../../translate/log-parts.ts";
import { Documents } from "./documents.ts";
import { taskFigures } from "./figures.ts";
import type { ComputedTask } from "./groups.ts";
import { ListMeans } from "./list-means.ts";
import { answerOf, promptOf, readLine, type SampleLine } from "./line.ts";
import type { LmEvalTask } from "./run.ts";
import { scoreKey } from "./score-key.ts";

const LONGEST_PROMPT = 256 * 1024;

/** Reads the samples of a task; gives how many documents there were, and the figures that were computed of them. */
export async function* readTask(
  task: LmEvalTask,
  context: ReadContext,
): AsyncGenerator<LogItem, ComputedTask> {
  const filters = listAt(task.config, "filter_list").map((filter) => textAt(filter, "name") ?? "none");
  const documents = new Documents(filters);
  let evaluation: LogEvaluation | null = null;
  const lists = new ListMeans(task.config);
  const computed = new Map<string, number>();
  const before = context.refused();
  for await (const text of textLines(task.file.bytes())) {
    const place = `${task.place}line ${text.line}`;
    const read = () => readLine(parseLine(text, place), mayHaveNoNumbers(text.bytes), place);
    const line = orRefused(read, place, context.refuse);
    if (line === null) continue;
    evaluation ??= task.evaluationOf(line.line);
    yield* itemsOf(line, place, evaluation, documents, lists);
  }
  const { repeated, count } = documents;
  if (repeated > 0)
    yield {
      kind: "note",
      text: `${repeated} lines repeat a document under one filter; the later line counts`,
    };
  const counts = { documents: count, refused: context.refused() - before, repeated };
  if (evaluation !== null)
    yield* taskFigures(task, evaluation, { book: context.book, lists, computed }, counts);
  return { documents: count, figures: computed };
}

function* itemsOf(
  line: SampleLine,
  place: string,
  evaluation: LogEvaluation,
  documents: Documents,
  lists: ListMeans,
): Generator<LogItem> {
  const { filter, isTrial, isAgain } = documents.meet(line.id, line.filter, place);
  const keyOf = (metric: string) => scoreKey(metric, filter);
  const means = Object.entries(line.lists).flatMap(([metric, values]) => {
    const mean = lists.add(metric, keyOf(metric), values);
    return mean === null ? [] : [[metric, mean] as const];
  });
  const scores = withKeys({ ...line.scores, ...Object.fromEntries(means) }, keyOf);
  const details = withKeys(line.details, keyOf);
  const at = { evaluation, place, sample: String(line.id), index: indexOf(line.id) };
  if (isTrial) {
    const all = { ...answerDetails(line.line), ...details };
    yield { kind: "trial", trial: { ...at, ...partsOf(line), scores, details: all }, isAgain };
    return;
  }
  const inputs = { filtered_resps: line.line["filtered_resps"] ?? null, ...details };
  for (const [key, value] of Object.entries(scores))
    yield { kind: "score", score: { ...at, key, value, inputs }, isAgain };
}

function partsOf({ id, line }: SampleLine): Pick<LogTrial, "identity" | "stable" | "row" | "output"> {
  return {
    identity: { doc_id: id },
    stable: { doc: line["doc"] ?? null },
    row: pick(line, ["target", "doc_hash"]),
    output: answerOf(line),
  };
}

function answerDetails(line: JsonObject): JsonObject {
  const prompt = promptOf(line);
  return {
    ...(prompt === null
      ? {}
      : { prompt: typeof prompt === "string" ? atMost(prompt, LONGEST_PROMPT) : prompt }),
    responses: line["resps"] ?? null,
    target: line["target"] ?? null,
  };
}

function indexOf(id: SampleLine["id"]): number {
  return typeof id === "number" && Number.isSafeInteger(id) && id >= 0 ? id : 0;
}

function withKeys(values: { readonly [metric: string]: Json }, keyOf: (metric: string) => string) {
  return Object.fromEntries(Object.entries(values).map(([metric, value]) => [keyOf(metric), value]));
}
