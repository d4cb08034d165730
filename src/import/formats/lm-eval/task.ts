import type { Json } from "../../../model/json.ts";
import type { ReadContext } from "../../format.ts";
import { SourceFault } from "../../read/fault.ts";
import { mayHaveNoNumbers, parseLine, textLines } from "../../read/json-lines.ts";
import { listAt, textAt } from "../../read/members.ts";
import { atMost, withoutMedia } from "../../translate/clean.ts";
import type { LogEvaluation, LogItem, LogTrial } from "../../translate/log-parts.ts";
import { Documents } from "./documents.ts";
import { taskFigures } from "./figures.ts";
import type { ComputedTask } from "./groups.ts";
import { ListMeans } from "./list-means.ts";
import { answerOf, promptOf, readLine, rowOf, type SampleLine } from "./line.ts";
import type { LmEvalTask } from "./run.ts";
import { scoreKey } from "./score-key.ts";

const LONGEST_PROMPT = 256 * 1024;

/** Reads the samples of a task; gives how many documents there were, and the figures that were computed of them. */
export async function* readTask(
  task: LmEvalTask,
  context: ReadContext,
): AsyncGenerator<LogItem, ComputedTask> {
  const documents = new Documents(
    listAt(task.config, "filter_list").map((filter) => textAt(filter, "name") ?? "none"),
  );
  let evaluation: LogEvaluation | null = null;
  const lists = new ListMeans(task.config);
  const computed = new Map<string, number>();
  let refused = 0;
  for await (const text of textLines(task.file.bytes())) {
    const place = `${task.place}line ${text.line}`;
    const line = lineOf(text, place, context);
    if (line === null) refused++;
    if (line === null) continue;
    if (evaluation === null) {
      evaluation = task.evaluationOf(line.line);
      yield { kind: "evaluation", evaluation };
    }
    yield* itemsOf(line, text.bytes, place, evaluation, documents, lists);
  }
  if (documents.repeated > 0)
    yield {
      kind: "note",
      text: `${documents.repeated} lines repeat a document under one filter; the later line counts`,
    };
  if (evaluation !== null)
    yield* taskFigures(
      task,
      evaluation,
      { book: context.book, lists, computed },
      { documents: documents.count, refused, repeated: documents.repeated },
    );
  return { documents: documents.count, figures: computed };
}

type Text = { readonly line: number; readonly bytes: Buffer };

function lineOf(text: Text, place: string, context: ReadContext): SampleLine | null {
  try {
    return readLine(parseLine(text), mayHaveNoNumbers(text.bytes), place);
  } catch (error) {
    if (!(error instanceof SourceFault)) throw error;
    context.refuse(new SourceFault(error.code, place, error.message, { cause: error.cause }));
    return null;
  }
}

function* itemsOf(
  line: SampleLine,
  bytes: Buffer,
  place: string,
  evaluation: LogEvaluation,
  documents: Documents,
  lists: ListMeans,
): Generator<LogItem> {
  const { filter, isTrial, isAgain } = documents.meet(line.id, line.filter, place);
  const clean = bytes.includes('"data:') ? withoutMedia : (value: Json) => value;
  const keyOf = (metric: string) => scoreKey(metric, filter);
  const means = Object.entries(line.lists).flatMap(([metric, values]) => {
    const mean = lists.add(metric, keyOf(metric), values);
    return mean === null ? [] : [[metric, mean] as const];
  });
  const scores = { ...line.scores, ...Object.fromEntries(means) };
  if (isTrial) {
    const trial = trialOf({ ...line, scores }, filter, place, evaluation, clean);
    yield { kind: "trial", trial, ...(isAgain ? { isAgain } : {}) };
    return;
  }
  const inputs = {
    filtered_resps: clean(line.line["filtered_resps"] ?? null),
    ...withKeys(line.details, keyOf),
  };
  const at = { evaluation: evaluation.id, place, sample: String(line.id), trial: "" };
  const time = { startedAt: null, index: indexOf(line.id) };
  for (const [metric, value] of Object.entries(scores)) {
    const score = { ...at, key: keyOf(metric), value, inputs, ...time };
    yield { kind: "score", score, ...(isAgain ? { isAgain } : {}) };
  }
}

function trialOf(
  { id, line, scores, details }: SampleLine,
  filter: string,
  place: string,
  evaluation: LogEvaluation,
  clean: (value: Json) => Json,
): LogTrial {
  const keyOf = (metric: string) => scoreKey(metric, filter);
  const prompt = promptOf(line);
  return {
    evaluation: evaluation.id,
    place,
    sample: String(id),
    identity: { doc_id: id },
    stable: { doc: line["doc"] ?? null },
    row: clean(rowOf(line)) as ReturnType<typeof rowOf>,
    output: clean(answerOf(line)),
    scores: withKeys(scores, keyOf),
    details: {
      ...(prompt === null
        ? {}
        : { prompt: typeof prompt === "string" ? atMost(prompt, LONGEST_PROMPT) : clean(prompt) }),
      responses: clean(line["resps"] ?? null),
      target: clean(line["target"] ?? null),
      ...withKeys(details, keyOf),
    },
    index: indexOf(id),
  };
}

function indexOf(id: SampleLine["id"]): number {
  return typeof id === "number" && Number.isSafeInteger(id) && id >= 0 ? id : 0;
}

function withKeys(values: { readonly [metric: string]: Json }, keyOf: (metric: string) => string) {
  return Object.fromEntries(Object.entries(values).map(([metric, value]) => [keyOf(metric), value]));
}
